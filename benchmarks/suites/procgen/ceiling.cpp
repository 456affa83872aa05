// The ceiling of Procgen: games of its library, which step and draw themselves, and nothing else.
// Where an episode ends, the library begins the next one within the same step.
#include "ceiling.h"

#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envpool/family.h"
#include "procgen/game.h"
#include "procgen/game_rules.h"

namespace {

using envpool::Options;
using envpool::procgen::EngineOption;
using envpool::procgen::Game;

class BareGame final : public ceiling::Env {
 public:
  BareGame(std::vector<EngineOption> options, int seed) : game_(std::move(options), seed) {}

  void step(const std::byte* action) override {
    std::int32_t number;
    std::memcpy(&number, action, sizeof number);
    game_.Step(number);
  }

 private:
  Game game_;
};

// Those that everybody here has by default.
Options OptionsOf(const std::string& game, std::int64_t mode) {
  Options options({{"env_name", game, ""},
                   {"num_levels", 0, ""},
                   {"start_level", 0, ""},
                   {"distribution_mode", mode, ""}});
  for (const char* name : {"center_agent", "use_backgrounds"}) options.Set(name, true);
  for (const char* name : {"use_sequential_levels", "use_monochrome_assets", "restrict_themes",
                           "use_generated_assets", "paint_vel_info", "use_easy_jump"}) {
    options.Set(name, false);
  }
  return options;
}

}  // namespace

// Null on failure, with the reason in `error`. `actions` hold numbers of 32 bits.
extern "C" [[gnu::visibility("default")]] ceiling::Pool* ceiling_open(
    const char* folder, const char* game, const char* mode, ceiling::Actions actions,
    int num_threads, char* error, int error_size) try {
  envpool::ThisFamily().configure(Options({{"data_folder", folder, ""}}));
  const auto options = envpool::procgen::EngineOptionsOf(OptionsOf(game, std::stoll(mode)));
  const auto make = [&](int id) { return std::make_unique<BareGame>(options, id); };
  return new ceiling::Pool(make, actions, num_threads);
} catch (const std::exception& failure) {
  error[std::string(failure.what()).copy(error, static_cast<std::size_t>(error_size) - 1)] = 0;
  return nullptr;
}
