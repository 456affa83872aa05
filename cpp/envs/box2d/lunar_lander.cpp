// LunarLander: bring a lander to rest between two flags, with a main engine and two side engines.
//
// The rules are in lander.cpp, which follows Gymnasium's environment of this name.
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "box2d/episode.h"
#include "box2d/lander.h"
#include "box2d/together.h"
#include "envpool/family.h"

namespace envpool::box2d {
namespace {

constexpr int kEngines = 4;  // none, left, main, right

class LunarLander final : public WorldEnv {
 public:
  explicit LunarLander(const Options& options)
      : options_(options),
        lander_(options, /*has_smoke=*/false),
        episode_(2, options.Flag("continuous") ? 0 : kEngines, LanderSettings::Of(options)) {
    const double gravity = options.Number("gravity");
    if (!(gravity > -12.0 && gravity < 0.0)) {
      throw std::invalid_argument("gravity is " + std::to_string(gravity) +
                                  ", expected -12 < gravity < 0");
    }
    WarnOutside(options, "wind_power", 20.0);
    WarnOutside(options, "turbulence_power", 2.0);
  }

  static Spec MakeSpec(const Options& options) {
    constexpr double kTurn = 2 * std::numbers::pi;
    const Bounds low = {-2.5, -2.5, -10.0, -10.0, -kTurn, -10.0, -0.0, -0.0};
    const Bounds high = {2.5, 2.5, 10.0, 10.0, kTurn, 10.0, 1.0, 1.0};
    return {.observation = {Box("obs", DType::kFloat32, {8}, low, high)},
            .action = {options.Flag("continuous") ? Box("action", DType::kFloat32, {2}, {-1}, {1})
                                                  : Discrete("action", kEngines)}};
  }

  void Reset(Random& random, const Options&) override {
    episode_.Begin(random);
    lander_.Reset(random);
    twin_.reset();
  }

  StepResult Step(const Action& action, Random& random) override {
    return lander_.Step(episode_.Add(action), random);
  }

  World& GetWorld() override { return lander_.GetWorld(); }

  void Observe(const Row& row) const override {
    const auto obs = row.Observation<float>();
    for (std::size_t i = 0; i < obs.size(); ++i) obs[i] = static_cast<float>(lander_.State()[i]);
  }

  bool HasBegun() const override { return episode_.HasBegun(); }

  void Serialize(Archive& archive) override {
    archive(episode_);
    if (!archive.IsReader()) return;
    twin_.reset();
    if (!episode_.HasBegun()) return;
    Random random = episode_.StartRandom();
    lander_.Use(episode_.StartSettings());
    lander_.Reset(random);
    Replay(lander_, 0, random);
    lander_.Use(episode_.CurrentSettings());
  }

  Scene Describe() const override {
    // If drawing fails on the way, the next picture begins anew.
    std::unique_ptr<Twin> twin = std::move(twin_);
    if (twin == nullptr) twin = std::make_unique<Twin>(options_, episode_);
    Replay(twin->lander, twin->steps, twin->random);
    twin->steps = episode_.Steps();
    twin_ = std::move(twin);
    return twin_->lander.Describe();
  }

 private:
  // Only pictures show smoke, and simulating it costs as much as the lander. So there is a second
  // lander that has smoke, and goes through the episode when somebody looks.
  struct Twin {
    Twin(const Options& options, const Episode<LanderSettings>& episode)
        : lander(options, /*has_smoke=*/true), random(episode.StartRandom()) {
      lander.Use(episode.StartSettings());
      lander.Reset(random);
    }

    Lander lander;
    Random random;
    std::size_t steps = 0;
  };

  // Lets a lander do the episode's steps from `first` on.
  void Replay(Lander& lander, std::size_t first, Random& random) const {
    for (std::size_t step = first; step < episode_.Steps(); ++step) {
      lander.Use(episode_.SettingsOf(step));
      lander.Step(episode_.ActionOf(step), random);
    }
  }

  void WarnOutside(const Options& options, const std::string& name, double high) {
    const double value = options.Number(name);
    if (value < 0.0 || value > high) {
      Warn(name + " is " + std::to_string(value) + ", recommended is 0 to " + std::to_string(high));
    }
  }

  const Options options_;
  Lander lander_;
  Episode<LanderSettings> episode_;
  mutable std::unique_ptr<Twin> twin_;
};

std::vector<OptionSpec> OptionSpecs(bool continuous) {
  return {
      {"continuous", continuous, "two throttles instead of four actions"},
      {"gravity", -10.0, "m/s^2, between -12 and 0"},
      {"enable_wind", false, "wind and turbulence push and turn the lander"},
      {"wind_power", 15.0, "most force of the wind, recommended is 0 to 20", kPower},
      {"turbulence_power", 1.5, "most torque of the turbulence, recommended is 0 to 2", kPower}};
}

bool RegisterLander(const char* name, bool continuous) {
  return Register({.name = name,
                   .options = OptionSpecs(continuous),
                   .spec = LunarLander::MakeSpec,
                   .create = Create<LunarLander>,
                   .memory = [](const Options&) { return kLanderBytes; },
                   .step_together = StepTogether,
                   .frame_size = [](const Options&) { return FrameSize{600, 400}; },
                   .render_fps = [](const Options&) { return kFramesPerSecond; }});
}

[[maybe_unused]] const bool discrete = RegisterLander("LunarLanderDiscrete", false);
[[maybe_unused]] const bool continuous = RegisterLander("LunarLanderContinuous", true);

}  // namespace
}  // namespace envpool::box2d
