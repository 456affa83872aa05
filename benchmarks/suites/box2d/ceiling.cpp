// The ceiling of Box2D: LunarLander's world and rules, of which nobody reads the observations.
//
// Built by CMake from the sources and the engine of our family, and so with the same flags; see
// ceiling.py.
#include "ceiling.h"

#include <cstdint>
#include <cstring>
#include <memory>

#include "box2d/lander.h"

namespace {

using envpool::Options;
using envpool::Random;
using envpool::StepResult;
using envpool::box2d::Lander;

constexpr int kMaxSteps = 1000;

// Those that everybody here has by default.
Options LanderOptions() {
  return Options({{"continuous", false, ""},
                  {"gravity", -10.0, ""},
                  {"enable_wind", false, ""},
                  {"wind_power", 15.0, ""},
                  {"turbulence_power", 1.5, ""}});
}

class Flight final : public ceiling::Env {
 public:
  explicit Flight(int seed)
      : random_(static_cast<std::uint64_t>(seed)), lander_(LanderOptions(), /*has_smoke=*/false) {
    reset();
  }

  void step(const std::byte* action) override {
    if (ended_) {
      reset();
      return;
    }
    std::int32_t number;
    std::memcpy(&number, action, sizeof number);
    const auto engine = static_cast<float>(number);
    const StepResult result = lander_.Step({&engine, 1}, random_);
    ended_ = ++episode_steps_ == kMaxSteps || result.terminated;
  }

 private:
  void reset() {
    lander_.Reset(random_);
    episode_steps_ = 0;
    ended_ = false;
  }

  Random random_;
  Lander lander_;
  int episode_steps_ = 0;
  bool ended_ = false;
};

}  // namespace

// Nothing here fails. `actions` hold numbers of 32 bits.
extern "C" [[gnu::visibility("default")]] ceiling::Pool* ceiling_open(ceiling::Actions actions,
                                                                      int num_threads,
                                                                      char* /*error*/,
                                                                      int /*error_size*/) {
  return new ceiling::Pool([](int id) { return std::make_unique<Flight>(id); }, actions,
                           num_threads);
}
