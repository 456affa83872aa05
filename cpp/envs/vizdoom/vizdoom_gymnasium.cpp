// VizdoomGymnasium: the environments of ViZDoom's own package for Gymnasium, with its dicts of
// observations, Doom's own rewards and a new seed in each episode (vizdoom.gymnasium_wrapper, M.
// Wydmuch and others, 2024).
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/family.h"
#include "vizdoom/doom_env.h"
#include "vizdoom/doom_game.h"
#include "vizdoom/names.h"
#include "vizdoom/paths.h"

namespace envpool::vizdoom::gymnasium {
namespace {

constexpr std::int64_t kSeeds = std::int64_t{1} << 32;
constexpr int kMostLetters = 32768;       // of notifications
constexpr std::size_t kMostButtons = 20;  // to combine
constexpr double kMostFloat = std::numeric_limits<float>::max();

using Combinations = std::vector<std::vector<double>>;

int Tics(const Options& options) { return static_cast<int>(options.Integer("frame_skip")); }

std::unique_ptr<DoomGame> MakeGame(const Options& options) {
  return std::make_unique<DoomGame>(GameConfig{.config_path = Located(options, "cfg_path"),
                                               .engine_path = EnginePath(),
                                               .format = ScreenFormat::kPixels,
                                               .has_deltas_first = true,
                                               .buffered_tics = Tics(options)});
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
  const PlaneSize size = game.ScreenSize();
  fields.push_back(
      Box("screen", DType::kUInt8,
          {static_cast<int>(size.height), static_cast<int>(size.width), game.Channels()}));
  return fields;
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
template <class Values, class T>
void CopyPadded(const Values& values, std::span<T> out) {
  const std::size_t count = std::min(std::size(values), out.size());
  const auto end =
      std::transform(std::begin(values), std::begin(values) + static_cast<std::ptrdiff_t>(count),
                     out.begin(), [](auto value) { return static_cast<T>(value); });
  std::fill(end, out.end(), T{});
}

class VizdoomGymnasium final : public DoomEnv {
 public:
  explicit VizdoomGymnasium(const Options& options)
      : DoomEnv(MakeGame(options), options.Integer("frame_skip"), ""),
        has_timeouts_(options.Flag("treat_episode_timeout_as_truncation")),
        is_multi_binary_(options.Flag("use_multi_binary_action_space")),
        num_deltas_(NumDeltas(Game())),
        has_audio_(Game().HasAudio()),
        has_notifications_(Game().HasNotifications()),
        combinations_(CombinationsOf(Game(), options)) {}

  static Spec MakeSpec(const Options& options);

  void Reset(Random& random, const Options&) override {
    Begin(static_cast<unsigned>(random.Integers(kSeeds)), 0, "");
  }
  StepResult Step(const Action& action, Random&) override { return Take(ButtonsOf(action)); }
  void Observe(const Row& row) const override;

 private:
  void OnBegin() override;
  StepResult Play(const std::vector<double>& buttons) override;
  std::span<const std::uint8_t> Screen() const override;

  std::vector<double> ButtonsOf(const Action& action) const;

  const bool has_timeouts_;
  const bool is_multi_binary_;
  const std::size_t num_deltas_;  // buttons of mouse-like movement, which come first
  // Asked before the engine runs: then the library tells what the engine has.
  const bool has_audio_;
  const bool has_notifications_;
  const Combinations combinations_;         // empty if an action has a part for each button
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

void VizdoomGymnasium::OnBegin() {
  state_ = Game().State();
  if (has_audio_ && !state_->audio) {
    throw std::runtime_error("ViZDoom's engine has no sound: it needs OpenAL");
  }
}

StepResult VizdoomGymnasium::Play(const std::vector<double>& buttons) {
  Advance(buttons);
  state_ = Game().State();
  return {.reward = Game().LastReward(),
          .terminated = Game().IsEpisodeFinished(),
          .truncated = has_timeouts_ && Game().IsTimeoutReached()};
}

std::span<const std::uint8_t> VizdoomGymnasium::Screen() const {
  return state_ ? std::span(*state_->screen) : std::span<const std::uint8_t>();
}

std::vector<double> VizdoomGymnasium::ButtonsOf(const Action& action) const {
  std::vector<double> buttons;
  const auto append = [&buttons](const auto& values) {
    buttons.insert(buttons.end(), values.begin(), values.end());
  };
  const bool has_binaries = num_deltas_ < Game().Buttons().size();
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
  static const std::vector<std::int16_t> silence;
  const DoomState& state = state_ ? *state_ : nothing;
  std::size_t field = 0;
  if (has_audio_) {
    CopyPadded(state.audio ? *state.audio : silence, row.Observation<std::int16_t>(field++));
  }
  if (!Game().Variables().empty()) {
    CopyPadded(state.variables, row.Observation<float>(field++));
  }
  if (has_notifications_) {
    CopyPadded(state.notifications, row.Observation<std::uint8_t>(field++));
  }
  CopyPadded(Screen(), row.Observation<std::uint8_t>(field));
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
          return FrameSize{static_cast<int>(game->ScreenSize().width),
                           static_cast<int>(game->ScreenSize().height)};
        },
    .render_fps = [](const Options&) { return double(kTicsPerSecond); },
});

}  // namespace
}  // namespace envpool::vizdoom::gymnasium
