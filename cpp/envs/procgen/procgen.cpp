// Procgen: sixteen games whose levels are drawn anew for each episode (K. Cobbe et al., "Leveraging
// Procedural Generation to Benchmark Reinforcement Learning", 2020).
//
// The engine is Procgen's own library, with a game for each environment; equal to ProcgenGym3Env
// with num=1 and rand_seed the environment's seed. EnvPool's are the names of the options, and the
// last observation of an episode, which upstream does not have.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/family.h"
#include "procgen/game.h"
#include "procgen/game_rules.h"
#include "procgen/pixels.h"

namespace envpool::procgen {
namespace {

constexpr double kFramesPerSecond = 15.0;  // upstream's
constexpr Limits kLevel = {.least = 0, .most = 2147483647};
constexpr std::int64_t kDrawn = -1;  // no level is chosen

class Procgen final : public Env {
 public:
  explicit Procgen(const Options& options)
      : engine_options_(EngineOptionsOf(options)),
        timeout_(TimeoutOf(options)),
        channel_first_(options.Flag("channel_first")),
        explores_(Explores(options)),
        has_states_(!options.Flag("use_generated_assets")) {
    Engine::Get();  // so that a missing one is told where environments are made
  }

  static Spec MakeSpec(const Options& options);
  // As measured, of the games that hold the least.
  static std::size_t Memory(const Options&) { return 190'000; }

  void Seed(std::uint64_t seed, Random&) override { seed_ = seed; }

  void Reset(Random&, const Options& options) override {
    const auto level = LevelOf(options);
    const bool has_next = seed_ || is_over_;
    if (seed_) MakeGame(*seed_);
    seed_.reset();  // not before: if the engine does not load, the next reset tries again
    if (level) {
      has_next ? game_->BeginAt(*level) : game_->RestartAt(*level);
    } else if (!has_next) {
      game_->Restart();
    }
    is_over_ = false;
  }

  StepResult Step(const Action& action, Random&) override {
    const bool is_at_timeout = ++elapsed_ == timeout_;
    game_->Step(action.Value<std::int32_t>());
    const Game::Result& last = game_->Last();
    is_over_ = last.first != 0;
    StepResult result{.reward = last.reward};
    if (is_over_) {
      result.truncated = is_at_timeout;
      result.terminated = !is_at_timeout || last.prev_level_complete != 0;
    }
    return result;
  }

  void Observe(const Row& row) const override {
    const auto& pixels = is_over_ ? game_->TerminalPixels() : game_->Pixels();
    const auto observation = row.Observation<std::uint8_t>();
    if (channel_first_) {
      ToPlanes(pixels, observation);
    } else {
      std::ranges::copy(pixels, observation.begin());
    }
    const Game::Result& last = game_->Last();
    row.Info<std::int32_t>(0)[0] = last.prev_level_seed;
    row.Info<std::int32_t>(1)[0] = last.prev_level_complete;
    // Where an episode is over, the engine has the next one's level.
    row.Info<std::int32_t>(2)[0] = is_over_ ? last.prev_level_seed : last.level_seed;
  }

  bool HasBegun() const override { return game_ != nullptr; }
  void Serialize(Archive& archive) override;
  void Render(const Frame& frame) override;

 private:
  std::optional<std::int32_t> LevelOf(const Options& options) const;
  void MakeGame(std::uint64_t seed);
  void AtReset();

  const std::vector<EngineOption> engine_options_;
  const int timeout_;
  const bool channel_first_;
  const bool explores_;    // so there is one level only
  const bool has_states_;  // the engine ends the process if it is asked for others

  std::optional<std::uint64_t> seed_;  // for the next reset, if there is none since it was given
  std::unique_ptr<Game> game_;         // made by the first reset, which may run beside others
  int elapsed_ = 0;                    // steps of the level
  bool is_over_ = false;               // the game's picture is already that of the next episode
  // Draws large pictures of the game's states. Made by the first picture, because each of its steps
  // would draw one.
  std::unique_ptr<Game> painter_;
  std::string terminal_state_;  // of the episode that is over, if there is a painter
};

Spec Procgen::MakeSpec(const Options& options) {
  EngineOptionsOf(options);  // throws if they don't fit
  const std::vector<int> shape = options.Flag("channel_first")
                                     ? std::vector<int>{3, Game::kWidth, Game::kWidth}
                                     : std::vector<int>{Game::kWidth, Game::kWidth, 3};
  Spec spec;
  spec.observation = {Box("obs", DType::kUInt8, shape, {0}, {255})};
  spec.action = {Discrete("action", kActions)};
  spec.info = {Box("prev_level_seed", DType::kInt32, {}),
               Box("prev_level_complete", DType::kInt32, {}, {0}, {1}),
               Box("level_seed", DType::kInt32, {})};
  return spec;
}

// Returns the level that the options of a reset choose, if they do.
std::optional<std::int32_t> Procgen::LevelOf(const Options& options) const {
  const std::int64_t level = options.Integer("level");
  if (level == kDrawn) return std::nullopt;
  if (explores_) {
    throw std::invalid_argument("level is " + std::to_string(level) +
                                ", expected -1: exploration has one level of its own");
  }
  return static_cast<std::int32_t>(level);
}

void Procgen::MakeGame(std::uint64_t seed) {
  auto game = std::make_unique<Game>(engine_options_, static_cast<std::int32_t>(seed));
  game->WatchResets([this] { AtReset(); });
  game_ = std::move(game);
  elapsed_ = 0;
}

void Procgen::AtReset() {
  elapsed_ = 0;
  if (painter_) terminal_state_ = game_->State();
}

void Procgen::Serialize(Archive& archive) {
  if (!has_states_) {
    throw std::runtime_error("Procgen has no snapshots with use_generated_assets");
  }
  bool has_game = HasBegun();
  bool has_seed = seed_.has_value();
  std::uint64_t seed = seed_.value_or(0);
  archive(has_game, has_seed);
  archive.Any(seed);
  if (archive.IsReader()) seed_ = has_seed ? std::optional(seed) : std::nullopt;
  if (!has_game) return;
  if (!game_) MakeGame(0);
  game_->Serialize(archive);
  archive.Range(elapsed_, 0, timeout_);
  archive(is_over_);
  if (is_over_) archive(terminal_state_);
}

void Procgen::Render(const Frame& frame) {
  if (frame.camera > 0) throw std::invalid_argument("there is only one view: -1 or 0");
  const auto has_width = [&](int width) { return frame.width == width && frame.height == width; };
  if (!has_width(Game::kWidth) && !has_width(Game::kLargeWidth)) {
    throw std::invalid_argument("pictures of Procgen are 512 x 512 as upstream's, or 64 x 64 as " +
                                std::string("the observation, not ") + std::to_string(frame.width) +
                                " x " + std::to_string(frame.height));
  }
  const auto& small = is_over_ ? game_->TerminalPixels() : game_->Pixels();
  if (has_width(Game::kWidth)) {
    std::ranges::copy(small, frame.pixels.begin());
    return;
  }
  if (!has_states_) {
    Enlarge(small, frame.pixels);
    return;
  }
  if (!painter_) painter_ = std::make_unique<Game>(engine_options_, 0, true);
  const std::string state = is_over_ ? terminal_state_ : game_->State();
  if (state.empty()) {
    Enlarge(small, frame.pixels);
    return;
  }
  painter_->Resume(state);
  std::ranges::copy(painter_->Large(), frame.pixels.begin());
}

[[maybe_unused]] const bool registered = Register({
    .name = "Procgen",
    .options = {{.name = "env_name",
                 .default_value = "bigfish",
                 .description = "the game",
                 .choices = GameNames()},
                {"channel_first", true, "three planes of colours; False: pixels of three colours"},
                {"num_levels", 0, "from how many levels each episode's is drawn; 0: from all",
                 kLevel},
                {"start_level", 0, "the first of these levels", kLevel},
                {"use_sequential_levels", false,
                 "a completed level is followed by another, not by an end"},
                {"center_agent", true,
                 "the picture moves with the agent, where the game can do that"},
                {"use_backgrounds", true, "pictures behind the game; False: black"},
                {"use_monochrome_assets", false, "things are rectangles of one colour"},
                {"restrict_themes", false, "one theme for things that have several"},
                {"use_generated_assets", false, "things look as generated at random"},
                {"paint_vel_info", false, "the agent's velocity is painted into a corner"},
                {"use_easy_jump", false, "of EnvPool; the engine takes it, and does not use it"},
                {"distribution_mode", 1,
                 "how levels are drawn: 0 easy, 1 hard, 2 extreme, 10 memory, 20 exploration"}},
    .reset_options = {{"level",
                       kDrawn,
                       "the one that the episode has, as with start_level and num_levels=1; -1: "
                       "drawn as always",
                       {.least = kDrawn, .most = kLevel.most - 1}}},
    .spec = Procgen::MakeSpec,
    .create = Create<Procgen>,
    .memory = Procgen::Memory,
    .frame_size = [](const Options&) { return FrameSize{Game::kLargeWidth, Game::kLargeWidth}; },
    .render_fps = [](const Options&) { return kFramesPerSecond; },
});

}  // namespace
}  // namespace envpool::procgen
