// ViZDoom: scenarios of Doom, seen through the player's eyes (M. Wydmuch, M. Kempka, W. Jaskowski,
// "ViZDoom Competitions: Playing Doom from Pixels", 2019).
//
// Each environment has an engine of its own, a process that ViZDoom's library starts and steps.
// Observations, rewards and actions are EnvPool's: frames in grey or in planes of colours, made
// smaller and stacked; the worth of changes of variables; buttons, or combinations of them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/family.h"
#include "vizdoom/action_set.h"
#include "vizdoom/doom_game.h"
#include "vizdoom/frames.h"
#include "vizdoom/names.h"
#include "vizdoom/paths.h"
#include "vizdoom/reward.h"
#include "vizdoom/settings.h"

namespace envpool::vizdoom {
namespace {

constexpr double kTicsPerSecond = 35.0;
constexpr int kLeastWidth = 320;  // a smaller screen is drawn so large, and made smaller afterwards
constexpr Limits kSize = {1, 1 << 14};

std::size_t Size(const Options& options, const std::string& name) {
  return static_cast<std::size_t>(options.Integer(name));
}

unsigned Tics(const Options& options) {
  return static_cast<unsigned>(options.Integer("frame_skip"));
}

// An episode's last step is not the engine's, but the pool's, where that has a limit.
unsigned TimeoutOf(const Options& options) {
  const std::int64_t steps = std::min<std::int64_t>(options.Integer("max_episode_steps"), 1 << 20);
  return static_cast<unsigned>(steps + 1) * Tics(options);
}

GameConfig ConfigOf(const Options& options) {
  const std::string game = options.Text("iwad_path");
  return {.config_path = Located(options.Text("cfg_path")),
          .scenario_path = Located(options.Text("wad_path")),
          .engine_path = options.Text("vzd_path").empty() ? EnginePath() : options.Text("vzd_path"),
          .game_path = game.empty() ? PackageFolder() + "/freedoom2.wad" : game,
          .arguments = options.Text("game_args"),
          .map = options.Text("map_id"),
          .timeout = TimeoutOf(options)};
}

RewardConfig RewardOf(const Options& options) {
  return {.worths = WorthsOf(options),
          .weapons = WeaponsOf(options),
          .weapon_duration = static_cast<int>(options.Integer("weapon_duration"))};
}

std::vector<std::vector<double>> ActionsOf(const DoomGame& game, const Options& options) {
  return MakeActionSet(game.Buttons(), options.Flag("force_speed"), DeltasOf(options));
}

class Vizdoom final : public Env {
 public:
  explicit Vizdoom(const Options& options);

  static Spec MakeSpec(const Options& options);

  void Seed(std::uint64_t seed, Random&) override { seed_ = static_cast<unsigned>(seed); }

  void Reset(Random& random, const Options&) override;

  StepResult Step(const Action& action, Random&) override {
    const auto values = action.Values<double>();
    if (is_combined_) {
      Advance(actions_[static_cast<std::size_t>(values[0])]);
    } else {
      Advance({values.begin(), values.end()});
    }
    StepResult result;
    const auto state = game_->State();
    if (state) {
      frames_->Push(*state->screen);
      result.reward = static_cast<double>(reward_.Step(state->variables));
    }
    has_died_ = episodic_life_ && game_->IsPlayerDead();
    result.terminated = game_->IsEpisodeFinished() || has_died_;
    return result;
  }

  void Observe(const Row& row) const override {
    frames_->Write(row.Observation<std::uint8_t>());
    const auto values = reward_.Values();
    for (std::size_t i = 0; i < infos_.size(); ++i) {
      row.Info<double>(i)[0] = infos_[i] ? values[*infos_[i]] : 0.0;
    }
  }

  bool HasBegun() const override { return game_->IsRunning(); }

 private:
  void Advance(const std::vector<double>& action) { game_->Advance(action, tics_); }

  const std::unique_ptr<DoomGame> game_;
  const unsigned tics_;
  const bool is_combined_;
  const bool episodic_life_;
  const std::vector<std::vector<double>> actions_;
  std::vector<std::optional<std::size_t>> infos_;  // where each info stands among the variables
  Reward reward_;
  std::unique_ptr<Frames> frames_;
  std::optional<unsigned> seed_;  // for the next reset, if there is none since it was given
  bool has_died_ = false;
};

Vizdoom::Vizdoom(const Options& options)
    : game_(std::make_unique<DoomGame>(ConfigOf(options))),
      tics_(Tics(options)),
      is_combined_(options.Flag("use_combined_action")),
      episodic_life_(options.Flag("episodic_life")),
      actions_(ActionsOf(*game_, options)),
      reward_([&] {
        for (const std::string_view name : kInfos) game_->AddVariable(*FindVariable(name));
        return Reward(RewardOf(options), game_->Variables());
      }()) {
  const std::vector<Variable>& variables = game_->Variables();
  for (const std::string_view name : kInfos) {
    const auto found = std::ranges::find(variables, *FindVariable(name));
    infos_.push_back(static_cast<std::size_t>(found - variables.begin()));
  }
  const auto screen = PlaneSize{static_cast<std::size_t>(game_->Height()),
                                static_cast<std::size_t>(game_->Width())};
  frames_ = std::make_unique<Frames>(
      Size(options, "stack_num"), static_cast<std::size_t>(game_->Channels()), screen,
      PlaneSize{Size(options, "img_height"), Size(options, "img_width")},
      options.Flag("use_inter_area_resize") ? Interpolation::kArea : Interpolation::kLinear);
}

void Vizdoom::Reset(Random&, const Options&) {
  if (!game_->IsRunning()) {
    game_->Start(seed_.value_or(0));
  } else {
    if (seed_) game_->SetSeed(*seed_);
    game_->NewEpisode("");
  }
  seed_.reset();
  has_died_ = false;
  const auto state = game_->State();
  if (!state) throw std::runtime_error("ViZDoom's episode is over before it begins");
  frames_->Fill(*state->screen);
  reward_.Begin(state->variables);
}

Spec Vizdoom::MakeSpec(const Options& options) {
  const DoomGame game(ConfigOf(options));
  Spec spec;
  spec.observation = {Box(
      "obs", DType::kUInt8,
      {static_cast<int>(Size(options, "stack_num")) * game.Channels(),
       static_cast<int>(Size(options, "img_height")), static_cast<int>(Size(options, "img_width"))},
      {0}, {255})};
  if (options.Flag("use_combined_action")) {
    const auto count = static_cast<double>(ActionsOf(game, options).size());
    spec.action = {Box("action", DType::kFloat64, {}, {0}, {count - 1})};
  } else {
    spec.action = {Box("action", DType::kFloat64, {static_cast<int>(game.Buttons().size())})};
  }
  for (const std::string_view name : kInfos) {
    spec.info.push_back(Box(std::string(name), DType::kFloat64, {}));
  }
  return spec;
}

std::vector<OptionSpec> AllOptions() {
  std::vector<OptionSpec> options = {
      {"img_height", 84, "rows of an observed frame", kSize},
      {"img_width", 84, "pixels in a row of an observed frame", kSize},
      {"stack_num", 4, "how many frames an observation has", kSize},
      {"frame_skip", 4, "for how many of the engine's 35 tics a second an action is repeated",
       kSize},
      {"lmp_save_dir", "", "a folder for the engine's own recordings of episodes"},
      {"episodic_life", false, "a lost life ends the episode"},
      {"force_speed", false, "combinations of buttons always have SPEED"},
      {"use_combined_action", false, "an action is the number of a combination of buttons"},
      {"use_inter_area_resize", true, "resize by areas; False: linearly"},
      {"weapon_duration", 5, "from which step on a weapon in hand is worth something", kSize},
      {"cfg_path", "", "the scenario's configuration"},
      {"wad_path", "", "the scenario; empty: the configuration's"},
      {"vzd_path", "", "the engine; empty: the package's"},
      {"iwad_path", "", "the data of Doom itself; empty: Freedoom's second part"},
      {"game_args", "", "more arguments of the engine"},
      {"map_id", "map01", "the map"},
      {"max_episode_steps", 2147483647, "", kPositive}};
  for (OptionSpec& option : DictOptions()) options.push_back(std::move(option));
  return options;
}

[[maybe_unused]] const bool registered = Register({
    .name = "Vizdoom",
    .options = AllOptions(),
    .spec = Vizdoom::MakeSpec,
    .create = Create<Vizdoom>,
    .render_fps =
        [](const Options& options) { return kTicsPerSecond / static_cast<double>(Tics(options)); },
});

}  // namespace
}  // namespace envpool::vizdoom
