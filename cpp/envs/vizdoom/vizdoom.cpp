// ViZDoom: scenarios of Doom, seen through the player's eyes (M. Wydmuch, M. Kempka, W. Jaskowski,
// "ViZDoom Competitions: Playing Doom from Pixels", 2019).
//
// Each environment has an engine of its own, a process that ViZDoom's library starts and steps.
// Observations, rewards and actions are EnvPool's: frames in grey or in planes of colours, made
// smaller and stacked; the worth of changes of variables; buttons, or combinations of them.
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
#include <utility>
#include <vector>

#include "envpool/family.h"
#include "vizdoom/action_set.h"
#include "vizdoom/doom_game.h"
#include "vizdoom/frames.h"
#include "vizdoom/names.h"
#include "vizdoom/paths.h"
#include "vizdoom/reward.h"
#include "vizdoom/screen.h"
#include "vizdoom/settings.h"

namespace envpool::vizdoom {
namespace {

constexpr double kTicsPerSecond = 35.0;
constexpr std::size_t kLeastWidth = 320;  // a smaller screen is drawn so large first
constexpr Limits kSize = {1, 1 << 14};

std::size_t Size(const Options& options, const std::string& name) {
  return static_cast<std::size_t>(options.Integer(name));
}

unsigned Tics(const Options& options) {
  return static_cast<unsigned>(options.Integer("frame_skip"));
}

// The engine ends no episode that the pool does not: it is for the pool to truncate them.
unsigned TimeoutOf(const Options& options) {
  constexpr std::int64_t kMostTics = 1 << 30;
  const std::int64_t steps = options.Integer("max_episode_steps") + 1;
  return static_cast<unsigned>(std::min(steps * options.Integer("frame_skip"), kMostTics));
}

GameConfig ConfigOf(const Options& options) {
  if (options.Text("cfg_path").empty()) {
    throw std::invalid_argument("cfg_path is empty, expected a scenario's configuration");
  }
  return {.config_path = Located(options.Text("cfg_path")),
          .scenario_path = Located(options.Text("wad_path")),
          .engine_path = options.Text("vzd_path").empty() ? EnginePath() : options.Text("vzd_path"),
          .game_path = options.Text("iwad_path"),
          .arguments = options.Text("game_args"),
          .map = options.Text("map_id"),
          .timeout = TimeoutOf(options)};
}

struct Scenario {
  std::unique_ptr<DoomGame> game;
  std::vector<PlaneSize> sizes;  // of planes: the screen's, and others that lead to the observed
};

Scenario MakeScenario(const Options& options) {
  Scenario scenario = {.game = std::make_unique<DoomGame>(ConfigOf(options)), .sizes = {}};
  DoomGame& game = *scenario.game;
  if (game.Format() != ScreenFormat::kGrey) game.SetFormat(ScreenFormat::kPlanes);
  for (const std::string_view name : kInfos) game.AddVariable(*FindVariable(name));
  scenario.sizes = {ScreenSize(game)};
  if (scenario.sizes[0].width < kLeastWidth) {
    game.SetResolution(Resolution::k320x240);
    scenario.sizes.insert(scenario.sizes.begin(), ScreenSize(game));
  }
  scenario.sizes.push_back(
      {.height = Size(options, "img_height"), .width = Size(options, "img_width")});
  return scenario;
}

// Returns the absolute path of the folder for recordings, since engines work in another; or
// nothing. Throws std::invalid_argument if the engine, which takes commands of 127 characters,
// would not take it.
std::string RecordingsOf(const Options& options) {
  constexpr std::size_t kMostCharacters = 60;
  const std::string& folder = options.Text("lmp_save_dir");
  if (folder.empty()) return folder;
  if (!std::filesystem::is_directory(folder)) {
    throw std::invalid_argument("lmp_save_dir is '" + folder + "', and there is no such folder");
  }
  std::string path = std::filesystem::absolute(folder).string();
  if (path.size() > kMostCharacters || path.find_first_of("\";$\n") != std::string::npos) {
    throw std::invalid_argument("lmp_save_dir is '" + path + "', expected a path of at most " +
                                std::to_string(kMostCharacters) +
                                " characters, without quotes, semicolons and dollars");
  }
  return path;
}

RewardConfig RewardOf(const Options& options) {
  return {.worths = WorthsOf(options),
          .weapons = WeaponsOf(options),
          .weapon_duration = static_cast<int>(options.Integer("weapon_duration"))};
}

Frames FramesOf(const DoomGame& game, const std::vector<PlaneSize>& sizes, const Options& options) {
  return Frames(
      Size(options, "stack_num"), static_cast<std::size_t>(game.Channels()), sizes,
      options.Flag("use_inter_area_resize") ? Interpolation::kArea : Interpolation::kLinear);
}

std::vector<std::vector<double>> CombinationsOf(const DoomGame& game, const Options& options) {
  return MakeActionSet(game.Buttons(), options.Flag("force_speed"), DeltasOf(options));
}

// Returns what decides where actions lead, in words.
std::string ConditionsOf(const Options& options, const DoomGame& game) {
  std::string conditions = std::to_string(game.HashOfFiles());
  for (const char* const name : {"map_id", "game_args", "iwad_path"}) {
    conditions += "\n" + options.Text(name);
  }
  conditions += "\n" + std::to_string(Tics(options));
  for (const char* const name : {"use_combined_action", "force_speed", "episodic_life"}) {
    conditions += options.Flag(name) ? "y" : "n";
  }
  for (const std::string& delta : options.Get<std::vector<std::string>>("delta_button_config")) {
    conditions += "\n" + delta;
  }
  return conditions;
}

class Vizdoom final : public Env {
 public:
  explicit Vizdoom(const Options& options) : Vizdoom(options, MakeScenario(options)) {}

  static Spec MakeSpec(const Options& options);

  void Seed(std::uint64_t seed, Random&) override { next_seed_ = static_cast<unsigned>(seed); }

  void Reset(Random&, const Options&) override;
  StepResult Step(const Action& action, Random&) override;
  bool CanContinue() const override { return has_died_; }
  void Continue(Random&) override;

  void Observe(const Row& row) const override {
    frames_.Write(row.Observation<std::uint8_t>());
    const auto values = reward_.Values();
    for (std::size_t i = 0; i < infos_.size(); ++i) row.Info<double>(i)[0] = values[infos_[i]];
  }

  bool HasBegun() const override { return has_begun_; }
  void Serialize(Archive& archive) override;
  void Render(const Frame& frame) override;

  void Release() override {
    game_->Close();
    is_released_ = true;
  }

 private:
  Vizdoom(const Options& options, Scenario scenario);

  // Begins the seed's episode of that number, recorded in a file of this name unless it is empty.
  void Begin(const std::string& recording);
  StepResult Act(std::span<const double> action);
  void GoOn();
  void Replay();
  std::size_t ActionSize() const { return is_combined_ ? 1 : game_->Buttons().size(); }

  const std::unique_ptr<DoomGame> game_;
  const unsigned tics_;
  const bool episodic_life_;
  const bool is_combined_;        // an action is the number of a combination
  const std::string recordings_;  // the folder of the engine's recordings; empty: there are none
  const std::vector<double> first_action_;               // of the combinations
  const std::vector<std::vector<double>> combinations_;  // of buttons, if they are needed
  const std::string conditions_;                         // for snapshots
  std::vector<std::size_t> infos_;  // where each info stands among the variables
  Reward reward_;
  Frames frames_;
  std::shared_ptr<const DoomState> state_;  // the last one that there was
  std::optional<unsigned> next_seed_;  // for the next reset, if there is none since it was given
  bool is_released_ = false;           // and the engine is to be started again

  // All that the state follows from, as snapshots have it.
  unsigned seed_ = 0;
  std::int64_t episode_ = 0;        // since the seed
  std::vector<double> actions_;     // of the episode, one after the other
  std::vector<std::size_t> lives_;  // how long actions_ was when a life after the first began
  bool has_begun_ = false;
  bool has_died_ = false;  // and the game goes on
};

Vizdoom::Vizdoom(const Options& options, Scenario scenario)
    : game_(std::move(scenario.game)),
      tics_(Tics(options)),
      episodic_life_(options.Flag("episodic_life")),
      is_combined_(options.Flag("use_combined_action")),
      recordings_(RecordingsOf(options)),
      first_action_(FirstAction(game_->Buttons(), options.Flag("force_speed"), DeltasOf(options))),
      combinations_(is_combined_ ? CombinationsOf(*game_, options)
                                 : std::vector<std::vector<double>>()),
      conditions_(ConditionsOf(options, *game_)),
      reward_(RewardOf(options), game_->Variables()),
      frames_(FramesOf(*game_, scenario.sizes, options)) {
  for (const std::string_view name : kInfos) {
    const auto found = std::ranges::find(game_->Variables(), *FindVariable(name));
    infos_.push_back(static_cast<std::size_t>(found - game_->Variables().begin()));
  }
}

void Vizdoom::Reset(Random&, const Options&) {
  episode_ = next_seed_ ? 0 : episode_ + 1;
  seed_ = next_seed_.value_or(seed_);
  next_seed_.reset();
  Begin(recordings_.empty() ? ""
                            : recordings_ + "/seed_" + std::to_string(seed_) + "_episode_" +
                                  std::to_string(episode_) + ".lmp");
}

void Vizdoom::Begin(const std::string& recording) {
  game_->Begin(seed_, episode_, recording);
  has_begun_ = true;
  has_died_ = false;
  is_released_ = false;
  actions_.clear();
  lives_.clear();
  state_ = game_->State();
  frames_.Fill(*state_->screen);
  reward_.Begin(state_->variables);
}

StepResult Vizdoom::Step(const Action& action, Random&) {
  if (is_released_) Replay();
  const auto values = action.Values<double>();
  const StepResult result = Act(values);
  actions_.insert(actions_.end(), values.begin(), values.end());
  return result;
}

StepResult Vizdoom::Act(std::span<const double> action) {
  if (is_combined_) {
    if (!(action[0] >= 0 && action[0] < static_cast<double>(combinations_.size()))) {
      throw std::invalid_argument("the action is " + std::to_string(action[0]) +
                                  ", expected 0 to " + std::to_string(combinations_.size() - 1));
    }
    game_->Advance(combinations_[static_cast<std::size_t>(action[0])], tics_);
  } else {
    game_->Advance({action.begin(), action.end()}, tics_);
  }
  StepResult result;
  if (const auto state = game_->State()) {
    state_ = state;
    frames_.Push(*state->screen);
    result.reward = static_cast<double>(reward_.Step(state->variables));
  }
  const bool is_over = game_->IsEpisodeFinished();
  has_died_ = episodic_life_ && !is_over && game_->IsPlayerDead();
  result.terminated = is_over || has_died_;
  return result;
}

void Vizdoom::Continue(Random&) {
  if (is_released_) Replay();
  lives_.push_back(actions_.size());
  GoOn();
}

// As EnvPool does: the game goes on by a step of the first combination, and what is seen then
// begins the next life.
void Vizdoom::GoOn() {
  game_->Advance(first_action_, tics_);
  has_died_ = false;
  if (const auto state = game_->State()) state_ = state;
  frames_.Fill(*state_->screen);
  reward_.Begin(state_->variables);
}

void Vizdoom::Serialize(Archive& archive) {
  constexpr std::int64_t kMostEpisodes = 1 << 24;
  std::string conditions = conditions_;
  bool has_next_seed = next_seed_.has_value();
  unsigned next_seed = next_seed_.value_or(0);
  archive(conditions, has_begun_, has_next_seed);
  archive.Require(conditions == conditions_, "an episode with another scenario or other options");
  archive.Any(seed_, next_seed, lives_);
  archive.Range(episode_, 0, kMostEpisodes);
  archive(actions_);
  if (!archive.IsReader()) return;
  next_seed_ = has_next_seed ? std::optional(next_seed) : std::nullopt;
  archive.Require(actions_.size() % ActionSize() == 0, "a part of an action");
  const auto is_place = [&](std::size_t life) {
    return life <= actions_.size() && life % ActionSize() == 0;
  };
  archive.Require(std::ranges::is_sorted(lives_) && std::ranges::all_of(lives_, is_place),
                  "a life that begins at no step");
  if (has_begun_) Replay();
}

// Takes the game to where its actions lead.
void Vizdoom::Replay() {
  const std::vector<double> actions = actions_;
  const std::vector<std::size_t> lives = lives_;
  Begin("");
  auto life = lives.begin();
  for (std::size_t i = 0; i <= actions.size(); i += ActionSize()) {
    for (; life != lives.end() && *life == i; ++life) GoOn();
    if (i < actions.size()) Act(std::span(actions).subspan(i, ActionSize()));
  }
  actions_ = actions;
  lives_ = lives;
}

void Vizdoom::Render(const Frame& frame) {
  if (frame.camera > 0) throw std::invalid_argument("there is only one view: -1 or 0");
  DrawScreen(*state_->screen, *game_, frame);
}

Spec Vizdoom::MakeSpec(const Options& options) {
  const auto game = MakeScenario(options).game;
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
    const auto count = static_cast<double>(CombinationsOf(*game, options).size());
    spec.action = {Box("action", DType::kFloat64, {}, {0}, {count - 1})};
  } else {
    spec.action = {Box("action", DType::kFloat64, {static_cast<int>(game->Buttons().size())})};
  }
  for (const std::string_view name : kInfos) {
    spec.info.push_back(Box(std::string(name), DType::kFloat64, {}));
  }
  return spec;
}

FrameSize PictureSize(const Options& options) {
  const auto game = MakeScenario(options).game;
  return {.width = game->Width(), .height = game->Height()};
}

// An engine's own, and the frames.
std::size_t Memory(const Options& options) {
  constexpr std::size_t kEngineBytes = 8 << 20;
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
        [](const Options& options) { return kTicsPerSecond / static_cast<double>(Tics(options)); },
});

}  // namespace
}  // namespace envpool::vizdoom
