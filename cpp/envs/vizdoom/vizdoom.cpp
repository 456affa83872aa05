// ViZDoom: scenarios of Doom, seen through the player's eyes (M. Wydmuch, M. Kempka, W. Jaskowski,
// "ViZDoom Competitions: Playing Doom from Pixels", 2019).
//
// Each environment has an engine of its own, a process that ViZDoom's library starts and steps.
// Observations, rewards and actions are EnvPool's: frames in grey or in planes of colours, made
// smaller and stacked; the worth of changes of variables; buttons, or combinations of them.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "envpool/family.h"
#include "vizdoom/action_set.h"
#include "vizdoom/doom_env.h"
#include "vizdoom/doom_game.h"
#include "vizdoom/frames.h"
#include "vizdoom/names.h"
#include "vizdoom/paths.h"
#include "vizdoom/reward.h"
#include "vizdoom/settings.h"

namespace envpool::vizdoom {
namespace {

constexpr Limits kSize = {1, 1 << 14};

using Combinations = std::vector<std::vector<double>>;

std::size_t Size(const Options& options, const std::string& name) {
  return static_cast<std::size_t>(options.Integer(name));
}

// The engine ends no episode that the pool does not: it is for the pool to truncate them.
unsigned TimeoutOf(const Options& options) {
  constexpr std::int64_t kMostTics = 1 << 30;
  const std::int64_t steps = options.Integer("max_episode_steps") + 1;
  return static_cast<unsigned>(std::min(steps * options.Integer("frame_skip"), kMostTics));
}

std::unique_ptr<DoomGame> MakeGame(const Options& options) {
  if (options.Text("cfg_path").empty()) {
    throw std::invalid_argument("cfg_path is empty, expected a scenario's configuration");
  }
  const std::string& engine = options.Text("vzd_path");
  GameConfig config = {.config_path = Located(options, "cfg_path"),
                       .scenario_path = Located(options, "wad_path"),
                       .engine_path = engine.empty() ? EnginePath() : engine,
                       .game_path = options.Text("iwad_path"),
                       .arguments = options.Text("game_args"),
                       .map = options.Text("map_id"),
                       .timeout = TimeoutOf(options),
                       .is_enlarged = true};
  for (const std::string_view name : kInfos) config.variables.push_back(*FindVariable(name));
  return std::make_unique<DoomGame>(config);
}

// Returns the absolute path of the folder for recordings, since engines work in another; or
// nothing. Throws std::invalid_argument if the engine, which takes commands of 127 characters,
// would not take it.
std::string RecordingsOf(const Options& options) {
  constexpr std::size_t kMostCharacters = 60;
  const std::string& folder = options.Text("lmp_save_dir");
  if (folder.empty()) return folder;
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw std::invalid_argument("lmp_save_dir is '" + folder + "', and there is no such folder");
  }
  std::string path = std::filesystem::absolute(folder).string();
  if (path.size() > kMostCharacters || path.find_first_of("\";$\n") != std::string::npos) {
    throw std::invalid_argument("lmp_save_dir is '" + path + "', expected a path of at most " +
                                std::to_string(kMostCharacters) +
                                " characters, without quotes, semicolons and dollars");
  }
  // Whoever asks for permission only is told that root may make files in /proc.
  std::string probe = path + "/.envpool-XXXXXX";
  const int made = mkstemp(probe.data());
  if (made < 0) {
    throw std::invalid_argument("lmp_save_dir is '" + path + "', where no file can be made");
  }
  close(made);
  unlink(probe.c_str());
  return path;
}

RewardConfig RewardOf(const Options& options) {
  return {.worths = WorthsOf(options),
          .weapons = WeaponsOf(options),
          .weapon_duration = static_cast<int>(options.Integer("weapon_duration"))};
}

// Frames are resized step by step where the screen was enlarged: first to what it was.
Frames FramesOf(const DoomGame& game, const Options& options) {
  std::vector<PlaneSize> sizes = {game.ScreenSize()};
  if (game.ConfiguredSize().width != sizes[0].width) sizes.push_back(game.ConfiguredSize());
  sizes.push_back({.height = Size(options, "img_height"), .width = Size(options, "img_width")});
  return Frames(
      Size(options, "stack_num"), static_cast<std::size_t>(game.Channels()), sizes,
      options.Flag("use_inter_area_resize") ? Interpolation::kArea : Interpolation::kLinear);
}

// None if an action has a number for each button.
Combinations CombinationsOf(const DoomGame& game, const Options& options) {
  if (!options.Flag("use_combined_action")) return {};
  return MakeActionSet(game.Buttons(), options.Flag("force_speed"), DeltasOf(options));
}

std::string ConditionsOf(const Options& options) {
  std::string conditions;
  for (const char* const name : {"force_speed", "episodic_life"}) {
    conditions += options.Flag(name) ? "y" : "n";
  }
  for (const char* const name : {"map_id", "game_args", "iwad_path"}) {
    conditions += "\n" + options.Text(name);
  }
  for (const std::string& delta : options.Get<std::vector<std::string>>("delta_button_config")) {
    conditions += "\n" + delta;
  }
  return conditions;
}

class Vizdoom final : public DoomEnv {
 public:
  explicit Vizdoom(const Options& options) : Vizdoom(options, MakeGame(options)) {}

  static Spec MakeSpec(const Options& options);

  void Seed(std::uint64_t seed, Random&) override { next_seed_ = static_cast<unsigned>(seed); }
  void Reset(Random&, const Options&) override;
  StepResult Step(const Action& action, Random&) override { return Take(ButtonsOf(action)); }
  bool CanContinue() const override { return has_died_; }

  void Observe(const Row& row) const override {
    frames_.Write(row.Observation<std::uint8_t>());
    const auto values = reward_.Values();
    for (std::size_t i = 0; i < infos_.size(); ++i) row.Info<double>(i)[0] = values[infos_[i]];
  }

  void Serialize(Archive& archive) override;

 private:
  Vizdoom(const Options& options, std::unique_ptr<DoomGame> game);

  void OnBegin() override;
  StepResult Play(const std::vector<double>& buttons) override;
  void GoOn() override;
  std::span<const std::uint8_t> Screen() const override { return *state_->screen; }

  std::vector<double> ButtonsOf(const Action& action) const;

  const bool episodic_life_;
  const std::string recordings_;  // the folder of the engine's recordings; empty: there are none
  const std::vector<double> first_action_;  // of the combinations
  const Combinations combinations_;         // empty if an action has a number for each button
  std::vector<std::size_t> infos_;          // where each info stands among the variables
  Reward reward_;
  Frames frames_;
  std::shared_ptr<const DoomState> state_;  // the last one that there was
  std::optional<unsigned> next_seed_;  // for the next reset, if there is none since it was given
  bool has_died_ = false;              // True if the player has, and the game goes on.
};

Vizdoom::Vizdoom(const Options& options, std::unique_ptr<DoomGame> game)
    : DoomEnv(std::move(game), options.Integer("frame_skip"), ConditionsOf(options)),
      episodic_life_(options.Flag("episodic_life")),
      recordings_(RecordingsOf(options)),
      first_action_(FirstAction(Game().Buttons(), options.Flag("force_speed"), DeltasOf(options))),
      combinations_(CombinationsOf(Game(), options)),
      reward_(RewardOf(options), Game().Variables()),
      frames_(FramesOf(Game(), options)) {
  for (const std::string_view name : kInfos) {
    const auto found = std::ranges::find(Game().Variables(), *FindVariable(name));
    infos_.push_back(static_cast<std::size_t>(found - Game().Variables().begin()));
  }
}

void Vizdoom::Reset(Random&, const Options&) {
  const std::int64_t number = next_seed_ ? 0 : EpisodeNumber() + 1;
  const unsigned seed = next_seed_.value_or(EpisodeSeed());
  next_seed_.reset();
  const std::string name =
      "/seed_" + std::to_string(seed) + "_episode_" + std::to_string(number) + ".lmp";
  Begin(seed, number, recordings_.empty() ? "" : recordings_ + name);
}

void Vizdoom::OnBegin() {
  has_died_ = false;
  state_ = Game().State();
  frames_.Fill(*state_->screen);
  reward_.Begin(state_->variables);
}

std::vector<double> Vizdoom::ButtonsOf(const Action& action) const {
  if (!combinations_.empty()) {
    return combinations_.at(static_cast<std::size_t>(action.Value<std::int32_t>()));
  }
  const auto buttons = action.Values<double>();
  return {buttons.begin(), buttons.end()};
}

StepResult Vizdoom::Play(const std::vector<double>& buttons) {
  Advance(buttons);
  StepResult result;
  if (const auto state = Game().State()) {
    state_ = state;
    frames_.Push(*state->screen);
    result.reward = static_cast<double>(reward_.Step(state->variables));
  }
  const bool is_over = Game().IsEpisodeFinished();
  has_died_ = episodic_life_ && !is_over && Game().IsPlayerDead();
  result.terminated = is_over || has_died_;
  return result;
}

// As EnvPool does: the game goes on by a step of the first combination, and what is seen then
// begins the next life.
void Vizdoom::GoOn() {
  Advance(first_action_);
  has_died_ = false;
  if (const auto state = Game().State()) state_ = state;
  frames_.Fill(*state_->screen);
  reward_.Begin(state_->variables);
}

void Vizdoom::Serialize(Archive& archive) {
  bool has_next_seed = next_seed_.has_value();
  unsigned next_seed = next_seed_.value_or(0);
  archive(has_next_seed);
  archive.Any(next_seed);
  if (archive.IsReader()) next_seed_ = has_next_seed ? std::optional(next_seed) : std::nullopt;
  DoomEnv::Serialize(archive);
}

Spec Vizdoom::MakeSpec(const Options& options) {
  const auto game = MakeGame(options);
  // They throw if they do not fit.
  RewardOf(options);
  DeltasOf(options);
  RecordingsOf(options);
  Spec spec;
  spec.observation = {Box(
      "obs", DType::kUInt8,
      {static_cast<int>(Size(options, "stack_num")) * game->Channels(),
       static_cast<int>(Size(options, "img_height")), static_cast<int>(Size(options, "img_width"))},
      {0}, {255})};
  if (options.Flag("use_combined_action")) {
    const std::size_t count = CombinationsOf(*game, options).size();
    spec.action = {Discrete("action", static_cast<int>(count))};
  } else {
    spec.action = {Box("action", DType::kFloat64, {static_cast<int>(game->Buttons().size())})};
  }
  for (const std::string_view name : kInfos) {
    spec.info.push_back(Box(std::string(name), DType::kFloat64, {}));
  }
  return spec;
}

FrameSize PictureSize(const Options& options) {
  const auto game = MakeGame(options);
  return {.width = static_cast<int>(game->ScreenSize().width),
          .height = static_cast<int>(game->ScreenSize().height)};
}

// An engine's own, and the frames.
std::size_t Memory(const Options& options) {
  constexpr std::size_t kChannels = 3;
  return kEngineBytes + Size(options, "stack_num") * kChannels * Size(options, "img_height") *
                            Size(options, "img_width");
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
      {"cfg_path", "basic.cfg", "the scenario's configuration: a path, or one of vizdoom's names"},
      {"wad_path", "", "the scenario's WAD; empty: the configuration's"},
      {"vzd_path", "", "the engine; empty: the package's"},
      {"iwad_path", "", "the data of Doom itself; empty: the configuration's, or Freedoom's"},
      {"game_args", "", "more arguments of the engine"},
      {"map_id", "map01", "the map; empty: the configuration's"},
      {"max_episode_steps", 2147483647, "", kPositive}};
  for (OptionSpec& option : DictOptions()) options.push_back(std::move(option));
  return options;
}

[[maybe_unused]] const bool registered = Register({
    .name = "Vizdoom",
    .options = AllOptions(),
    .spec = Vizdoom::MakeSpec,
    .create = Create<Vizdoom>,
    .memory = Memory,
    .frame_size = PictureSize,
    .render_fps =
        [](const Options& options) {
          return kTicsPerSecond / static_cast<double>(options.Integer("frame_skip"));
        },
});

}  // namespace
}  // namespace envpool::vizdoom
