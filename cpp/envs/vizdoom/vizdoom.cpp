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

// An episode's last step is not the engine's, but the pool's, where that has a limit.
unsigned TimeoutOf(const Options& options) {
  const std::int64_t steps = std::min<std::int64_t>(options.Integer("max_episode_steps"), 1 << 20);
  return static_cast<unsigned>(steps + 1) * Tics(options);
}

GameConfig ConfigOf(const Options& options) {
  if (options.Text("cfg_path").empty()) {
    throw std::invalid_argument("cfg_path is empty, expected a scenario's configuration");
  }
  const std::string game = options.Text("iwad_path");
  return {.config_path = Located(options.Text("cfg_path")),
          .scenario_path = Located(options.Text("wad_path")),
          .engine_path = options.Text("vzd_path").empty() ? EnginePath() : options.Text("vzd_path"),
          .game_path = game.empty() ? FreedoomPath() : game,
          .arguments = options.Text("game_args"),
          .map = options.Text("map_id"),
          .timeout = TimeoutOf(options)};
}

// Returns the absolute path of the folder for recordings, since engines work in another; or
// nothing.
std::string RecordingsOf(const Options& options) {
  const std::string& folder = options.Text("lmp_save_dir");
  if (folder.empty()) return folder;
  if (!std::filesystem::is_directory(folder)) {
    throw std::invalid_argument("lmp_save_dir is '" + folder + "', and there is no such folder");
  }
  return std::filesystem::absolute(folder).string();
}

RewardConfig RewardOf(const Options& options) {
  return {.worths = WorthsOf(options),
          .weapons = WeaponsOf(options),
          .weapon_duration = static_cast<int>(options.Integer("weapon_duration"))};
}

// Also enlarges the game's own screen, where the engine would draw less than it can.
Frames FramesOf(DoomGame& game, const Options& options) {
  const PlaneSize wanted = {.height = Size(options, "img_height"),
                            .width = Size(options, "img_width")};
  std::vector<PlaneSize> sizes = {ScreenSize(game), wanted};
  if (sizes[0].width < kLeastWidth) {
    game.SetResolution(Resolution::k320x240);
    sizes.insert(sizes.begin(), ScreenSize(game));
  }
  return Frames(
      Size(options, "stack_num"), static_cast<std::size_t>(game.Channels()), sizes,
      options.Flag("use_inter_area_resize") ? Interpolation::kArea : Interpolation::kLinear);
}

std::vector<std::vector<double>> ActionsOf(const DoomGame& game, const Options& options) {
  return MakeActionSet(game.Buttons(), options.Flag("force_speed"), DeltasOf(options));
}

class Vizdoom final : public Env {
 public:
  explicit Vizdoom(const Options& options);

  static Spec MakeSpec(const Options& options);

  void Seed(std::uint64_t seed, Random&) override { next_seed_ = static_cast<unsigned>(seed); }

  void Reset(Random&, const Options&) override;
  StepResult Step(const Action& action, Random&) override;
  bool CanContinue() const override { return has_died_; }
  void Continue(Random&) override;

  void Observe(const Row& row) const override {
    frames_->Write(row.Observation<std::uint8_t>());
    const auto values = reward_.Values();
    for (std::size_t i = 0; i < infos_.size(); ++i) row.Info<double>(i)[0] = values[infos_[i]];
  }

  bool HasBegun() const override { return has_begun_; }
  void Serialize(Archive& archive) override;
  void Render(const Frame& frame) override;
  void Release() override { game_->Close(); }

 private:
  // Begins the seed's episode of that number, recorded in a file of this name unless it is empty.
  void Begin(const std::string& recording);
  StepResult Act(std::span<const double> action);
  void Replay();

  const std::unique_ptr<DoomGame> game_;
  const unsigned tics_;
  const bool episodic_life_;
  const std::string recordings_;  // the folder of the engine's recordings; empty: there are none
  const std::vector<std::vector<double>> combinations_;  // of buttons
  const bool is_combined_;                               // an action is the number of one of them
  std::vector<std::size_t> infos_;  // where each info stands among the variables
  Reward reward_;
  std::unique_ptr<Frames> frames_;
  std::shared_ptr<const DoomState> state_;  // the last one that there was
  std::optional<unsigned> next_seed_;  // for the next reset, if there is none since it was given

  // All that the state follows from, as snapshots have it.
  unsigned seed_ = 0;
  std::int64_t episode_ = 0;        // since the seed
  std::vector<double> actions_;     // of the episode, one after the other
  std::vector<std::size_t> lives_;  // how long actions_ was when a life after the first began
  bool has_begun_ = false;
  bool has_died_ = false;  // and the game goes on
};

Vizdoom::Vizdoom(const Options& options)
    : game_(std::make_unique<DoomGame>(ConfigOf(options))),
      tics_(Tics(options)),
      episodic_life_(options.Flag("episodic_life")),
      recordings_(RecordingsOf(options)),
      combinations_(ActionsOf(*game_, options)),
      is_combined_(options.Flag("use_combined_action")),
      reward_([&] {
        for (const std::string_view name : kInfos) game_->AddVariable(*FindVariable(name));
        return Reward(RewardOf(options), game_->Variables());
      }()) {
  for (const std::string_view name : kInfos) {
    const auto found = std::ranges::find(game_->Variables(), *FindVariable(name));
    infos_.push_back(static_cast<std::size_t>(found - game_->Variables().begin()));
  }
  frames_ = std::make_unique<Frames>(FramesOf(*game_, options));
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
  const bool is_new = !game_->IsRunning();
  game_->SeekEpisode(seed_, episode_);
  if (is_new) game_->Start();  // with this episode
  if (is_new && !recording.empty()) game_->SeekEpisode(seed_, episode_);
  if (!is_new || !recording.empty()) game_->NewEpisode(recording);
  has_begun_ = true;
  has_died_ = false;
  actions_.clear();
  lives_.clear();
  state_ = game_->State();
  if (!state_) throw std::runtime_error("ViZDoom's episode is over before it begins");
  frames_->Fill(*state_->screen);
  reward_.Begin(state_->variables);
}

StepResult Vizdoom::Step(const Action& action, Random&) {
  const auto values = action.Values<double>();
  actions_.insert(actions_.end(), values.begin(), values.end());
  return Act(values);
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
    frames_->Push(*state->screen);
    result.reward = static_cast<double>(reward_.Step(state->variables));
  }
  const bool is_over = game_->IsEpisodeFinished();
  has_died_ = episodic_life_ && !is_over && game_->IsPlayerDead();
  result.terminated = is_over || has_died_;
  return result;
}

// As EnvPool does: the game goes on by a step without buttons, and what is seen then begins it.
void Vizdoom::Continue(Random&) {
  lives_.push_back(actions_.size());
  game_->Advance(combinations_[0], tics_);
  has_died_ = false;
  if (const auto state = game_->State()) state_ = state;
  frames_->Fill(*state_->screen);
  reward_.Begin(state_->variables);
}

void Vizdoom::Serialize(Archive& archive) {
  bool has_next_seed = next_seed_.has_value();
  unsigned next_seed = next_seed_.value_or(0);
  archive(has_begun_, has_next_seed);
  archive.Any(seed_, next_seed, lives_);
  archive.Count(episode_);
  archive(actions_);
  if (!archive.IsReader()) return;
  next_seed_ = has_next_seed ? std::optional(next_seed) : std::nullopt;
  const std::size_t width = is_combined_ ? 1 : game_->Buttons().size();
  archive.Require(actions_.size() % width == 0, "a part of an action");
  if (has_begun_) Replay();
}

// Takes the game to where its actions lead.
void Vizdoom::Replay() {
  const std::vector<double> actions = actions_;
  const std::vector<std::size_t> lives = lives_;
  Begin("");
  const std::size_t width = is_combined_ ? 1 : game_->Buttons().size();
  auto life = lives.begin();
  Random unused(0);
  for (std::size_t i = 0; i <= actions.size(); i += width) {
    for (; life != lives.end() && *life == i; ++life) Continue(unused);
    if (i < actions.size()) Act(std::span(actions).subspan(i, width));
  }
  actions_ = actions;
}

void Vizdoom::Render(const Frame& frame) {
  if (frame.camera > 0) throw std::invalid_argument("there is only one view: -1 or 0");
  DrawScreen(*state_->screen, *game_, frame);
}

Spec Vizdoom::MakeSpec(const Options& options) {
  const DoomGame game(ConfigOf(options));
  // They throw if they do not fit.
  RewardOf(options);
  DeltasOf(options);
  RecordingsOf(options);
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

FrameSize PictureSize(const Options& options) {
  DoomGame game(ConfigOf(options));
  FramesOf(game, options);
  return {.width = game.Width(), .height = game.Height()};
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
    .frame_size = PictureSize,
    .render_fps =
        [](const Options& options) { return kTicsPerSecond / static_cast<double>(Tics(options)); },
});

}  // namespace
}  // namespace envpool::vizdoom
