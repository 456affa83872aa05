// VizdoomGymnasium: the environments of ViZDoom's own package for Gymnasium, with its dicts of
// observations, Doom's own rewards and a new seed in each episode (vizdoom.gymnasium_wrapper, M.
// Wydmuch and others, 2024).
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/family.h"
#include "vizdoom/doom_game.h"
#include "vizdoom/names.h"
#include "vizdoom/paths.h"
#include "vizdoom/screen.h"

namespace envpool::vizdoom {
namespace {

constexpr int kTicsPerSecond = 35;
constexpr std::size_t kEngineBytes = 8 << 20;  // of its own
constexpr std::int64_t kSeeds = std::int64_t{1} << 32;
constexpr int kMostLetters = 32768;       // of notifications
constexpr std::size_t kMostButtons = 20;  // to combine
constexpr double kMostFloat = std::numeric_limits<float>::max();

using Combinations = std::vector<std::vector<double>>;

int Tics(const Options& options) { return static_cast<int>(options.Integer("frame_skip")); }

// A game with buttons of mouse-like movement before all others.
std::unique_ptr<DoomGame> MakeGame(const Options& options) {
  auto game = std::make_unique<DoomGame>(
      GameConfig{.config_path = Located(options.Text("cfg_path")), .engine_path = EnginePath()});
  if (game->Format() != ScreenFormat::kGrey) game->SetFormat(ScreenFormat::kPixels);
  game->SetBuffers(Tics(options));
  std::vector<Button> buttons = game->Buttons();
  std::ranges::stable_partition(buttons, IsDelta);
  game->SetButtons(buttons);
  return game;
}

std::size_t NumDeltas(const DoomGame& game) {
  return static_cast<std::size_t>(std::ranges::count_if(game.Buttons(), IsDelta));
}

// Returns the combinations of at most so many of the other buttons, in the order of
// itertools.product; none if an action has a part for each button.
Combinations CombinationsOf(const DoomGame& game, const Options& options) {
  const std::int64_t most_pressed = options.Integer("max_buttons_pressed");
  if (most_pressed == 0) return {};
  const std::size_t buttons = game.Buttons().size() - NumDeltas(game);
  if (buttons > kMostButtons) {
    throw std::invalid_argument("max_buttons_pressed: there are " + std::to_string(buttons) +
                                " buttons to combine, expected at most " +
                                std::to_string(kMostButtons));
  }
  Combinations all;
  for (std::size_t bits = 0; bits < std::size_t{1} << buttons; ++bits) {
    if (std::popcount(bits) > most_pressed) continue;
    std::vector<double> one(buttons);
    for (std::size_t i = 0; i < buttons; ++i) {
      one[i] = static_cast<double>(bits >> (buttons - 1 - i) & 1U);
    }
    all.push_back(std::move(one));
  }
  return all;
}

// In the order of their names, as in Gymnasium's dicts.
std::vector<Field> ObservationOf(const DoomGame& game, const Options& options) {
  std::vector<Field> fields;
  if (game.HasAudio()) {
    const int samples = game.AudioRate() / kTicsPerSecond * Tics(options);
    fields.push_back(Box("audio", DType::kInt16, {samples, 2}));
  }
  if (const auto variables = static_cast<int>(game.Variables().size()); variables > 0) {
    fields.push_back(
        Box("gamevariables", DType::kFloat32, {variables}, {-kMostFloat}, {kMostFloat}));
  }
  if (game.HasNotifications()) {
    fields.push_back(Box("notifications", DType::kUInt8, {kMostLetters}));
  }
  fields.push_back(Box("screen", DType::kUInt8, {game.Height(), game.Width(), game.Channels()}));
  return fields;
}

// Returns what decides where actions lead, in words.
std::string ConditionsOf(const Options& options, const DoomGame& game) {
  return std::to_string(game.HashOfFiles()) + " " + std::to_string(Tics(options));
}

Field BinaryAction(const DoomGame& game, const Options& options, const std::string& name) {
  const auto combinations = static_cast<int>(CombinationsOf(game, options).size());
  if (combinations > 0) return Discrete(name, combinations, 0, DType::kInt64);
  const auto buttons = static_cast<int>(game.Buttons().size() - NumDeltas(game));
  if (options.Flag("use_multi_binary_action_space")) {
    return MultiBinary(name, {buttons}, DType::kInt8);
  }
  return MultiDiscrete(name, std::vector(static_cast<std::size_t>(buttons), 2), DType::kInt64);
}

// Copies values, and fills what is left with zeros.
template <class T>
void CopyPadded(std::span<const T> values, std::span<T> out) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(values.size(), out.size()));
  const auto end = std::copy_n(values.begin(), count, out.begin());
  std::fill(end, out.end(), T{});
}

class VizdoomGymnasium final : public Env {
 public:
  explicit VizdoomGymnasium(const Options& options)
      : game_(MakeGame(options)),
        tics_(static_cast<unsigned>(Tics(options))),
        has_timeouts_(options.Flag("treat_episode_timeout_as_truncation")),
        is_multi_binary_(options.Flag("use_multi_binary_action_space")),
        num_deltas_(NumDeltas(*game_)),
        has_audio_(game_->HasAudio()),
        has_notifications_(game_->HasNotifications()),
        conditions_(ConditionsOf(options, *game_)),
        combinations_(CombinationsOf(*game_, options)) {}

  static Spec MakeSpec(const Options& options);

  void Reset(Random& random, const Options&) override {
    seed_ = static_cast<unsigned>(random.Integers(kSeeds));
    Begin();
  }

  StepResult Step(const Action& action, Random&) override {
    if (is_released_) Replay();
    const std::vector<double> buttons = ButtonsOf(action);
    Advance(buttons);
    actions_.insert(actions_.end(), buttons.begin(), buttons.end());
    return {.reward = game_->LastReward(),
            .terminated = game_->IsEpisodeFinished(),
            .truncated = has_timeouts_ && game_->IsTimeoutReached()};
  }

  void Observe(const Row& row) const override;
  bool HasBegun() const override { return has_begun_; }
  void Serialize(Archive& archive) override;
  void Render(const Frame& frame) override;

  void Release() override {
    game_->Close();
    is_released_ = true;
  }

 private:
  void Begin();
  void Replay();
  std::vector<double> ButtonsOf(const Action& action) const;

  void Advance(const std::vector<double>& buttons) {
    game_->Advance(buttons, tics_);
    state_ = game_->State();
  }

  const std::unique_ptr<DoomGame> game_;
  const unsigned tics_;
  const bool has_timeouts_;
  const bool is_multi_binary_;
  const std::size_t num_deltas_;  // buttons of mouse-like movement, which come first
  const bool has_audio_;
  const bool has_notifications_;
  const std::string conditions_;     // for snapshots
  const Combinations combinations_;  // empty if an action has a part for each button

  unsigned seed_ = 0;            // of the episode
  std::vector<double> actions_;  // of the episode, one after the other
  bool has_begun_ = false;
  bool is_released_ = false;                // and the engine is to be started again
  std::shared_ptr<const DoomState> state_;  // null where the episode is over
};

Spec VizdoomGymnasium::MakeSpec(const Options& options) {
  const auto game = MakeGame(options);
  Spec spec = {.observation_structure = Structure::kDict,
               .observation = ObservationOf(*game, options)};
  const std::size_t deltas = NumDeltas(*game);
  const bool has_both = deltas > 0 && deltas < game->Buttons().size();
  if (has_both) spec.action_structure = Structure::kDict;
  if (deltas < game->Buttons().size()) {
    spec.action.push_back(BinaryAction(*game, options, has_both ? "binary" : "action"));
  }
  if (deltas > 0) {
    spec.action.push_back(Box(has_both ? "continuous" : "action", DType::kFloat32,
                              {static_cast<int>(deltas)}, {-kMostFloat}, {kMostFloat}));
  }
  return spec;
}

void VizdoomGymnasium::Begin() {
  game_->Begin(seed_, 0, "");
  actions_.clear();
  state_ = game_->State();
  has_begun_ = true;
  is_released_ = false;
  if (has_audio_ && !state_->audio) {
    throw std::runtime_error("ViZDoom's engine has no sound: it needs OpenAL");
  }
}

std::vector<double> VizdoomGymnasium::ButtonsOf(const Action& action) const {
  std::vector<double> buttons;
  const auto append = [&buttons](const auto& values) {
    buttons.insert(buttons.end(), values.begin(), values.end());
  };
  const bool has_binaries = num_deltas_ < game_->Buttons().size();
  if (num_deltas_ > 0) append(action.Values<float>(has_binaries ? 1 : 0));
  if (!has_binaries) return buttons;
  if (!combinations_.empty()) {
    append(combinations_.at(static_cast<std::size_t>(action.Value<std::int64_t>())));
  } else if (is_multi_binary_) {
    append(action.Values<std::int8_t>());
  } else {
    append(action.Values<std::int64_t>());
  }
  return buttons;
}

void VizdoomGymnasium::Observe(const Row& row) const {
  static const DoomState nothing = {};
  const DoomState& state = state_ ? *state_ : nothing;
  std::size_t field = 0;
  if (has_audio_) {
    const auto samples = state.audio ? std::span(*state.audio) : std::span<const std::int16_t>();
    CopyPadded(samples, row.Observation<std::int16_t>(field++));
  }
  if (!game_->Variables().empty()) {
    const auto out = row.Observation<float>(field++);
    const std::vector<float> values(state.variables.begin(), state.variables.end());
    CopyPadded(std::span(values), out);
  }
  if (has_notifications_) {
    const std::span text(reinterpret_cast<const std::uint8_t*>(state.notifications.data()),
                         state.notifications.size());
    CopyPadded(text, row.Observation<std::uint8_t>(field++));
  }
  const auto screen = state.screen ? std::span(*state.screen) : std::span<const std::uint8_t>();
  CopyPadded(screen, row.Observation<std::uint8_t>(field));
}

void VizdoomGymnasium::Serialize(Archive& archive) {
  std::string conditions = conditions_;
  archive(conditions, has_begun_);
  archive.Require(conditions == conditions_, "an episode with another scenario or other options");
  archive.Any(seed_);
  archive(actions_);
  archive.Require(actions_.size() % game_->Buttons().size() == 0, "a part of an action");
  if (archive.IsReader() && has_begun_) Replay();
}

// Takes the game to where its actions lead.
void VizdoomGymnasium::Replay() {
  const auto buttons = static_cast<std::ptrdiff_t>(game_->Buttons().size());
  const std::vector<double> actions = actions_;
  Begin();
  for (auto at = actions.begin(); at != actions.end(); at += buttons) Advance({at, at + buttons});
  actions_ = actions;
}

void VizdoomGymnasium::Render(const Frame& frame) {
  if (frame.camera > 0) throw std::invalid_argument("there is only one view: -1 or 0");
  if (state_) {
    DrawScreen(*state_->screen, *game_, frame);
  } else {
    std::ranges::fill(frame.pixels, std::uint8_t{0});
  }
}

[[maybe_unused]] const bool registered = Register({
    .name = "VizdoomGymnasium",
    .options =
        {{"cfg_path", "basic.cfg", "the scenario's configuration"},
         {"frame_skip",
          1,
          "for how many of the engine's 35 tics a second an action is repeated",
          {1, 1 << 14}},
         {"max_buttons_pressed",
          0,
          "an action is the number of a combination of so many buttons; 0: a part for each button",
          {0, 64}},
         {"treat_episode_timeout_as_truncation", true,
          "an episode that is out of time is truncated"},
         {"use_multi_binary_action_space", true,
          "buttons are a MultiBinary; False: a MultiDiscrete"},
         {"max_episode_steps", 2147483647, "", kPositive}},
    .spec = VizdoomGymnasium::MakeSpec,
    .create = Create<VizdoomGymnasium>,
    .memory = [](const Options&) { return kEngineBytes; },
    .frame_size =
        [](const Options& options) {
          const auto game = MakeGame(options);
          return FrameSize{game->Width(), game->Height()};
        },
    .render_fps = [](const Options&) { return double(kTicsPerSecond); },
});

}  // namespace
}  // namespace envpool::vizdoom
