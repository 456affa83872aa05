// Atari: the games of the Atari 2600.
//
// Follows ale_py's AtariEnv (M. G. Bellemare et al., "The Arcade Learning Environment", 2013) with
// Gymnasium's AtariPreprocessing and FrameStackObservation; what these lack follows ale_py's
// AtariVectorEnv (use_fire_reset) and EnvPool (episodic_life, zero_discount_on_life_loss, the order
// of RGB planes).
#include <algorithm>
#include <array>
#include <cstdint>
#include <numbers>
#include <optional>
#include <stdexcept>

#include "atari/colours.h"
#include "atari/emulator.h"
#include "atari/frame_stack.h"
#include "atari/game.h"
#include "atari/palette.h"
#include "atari/rom.h"
#include "atari/stick.h"
#include "envpool/family.h"
#include "envpool/seed_sequence.h"
#include "resize/resize.h"

namespace envpool::atari {
namespace {

constexpr double kFramesPerSecond = 60.0;
constexpr int kRamBytes = 128;

// Keeps products of sizes within 64 bits.
constexpr double kMost = 1 << 20;
constexpr Limits kSize = {1, kMost};

std::size_t Size(const Options& options, const std::string& name) {
  return static_cast<std::size_t>(options.Integer(name));
}

// Returns what options choose, of environments or of resets.
Variation ChosenBy(const Options& options, const Game& game, const Variation& otherwise) {
  return VariationOf(game, options.Integer("mode"), options.Integer("difficulty"), otherwise);
}

Variation UsualOf(const Game& game) { return {.mode = game.modes[0]}; }

// The game as so many players play it. Throws std::invalid_argument if it cannot be, or if an
// option does not fit.
const Game& PlayedGame(const Options& options) {
  const Game& game = GameOf(options.Text("task"), options.Integer("players"));
  ChosenBy(options, game, UsualOf(game));
  for (const char* name :
       {"episodic_life", "terminal_on_life_loss", "zero_discount_on_life_loss"}) {
    if (game.players > 1 && options.Flag(name)) {
      throw std::invalid_argument(std::string(name) + " is True, expected False for two players: " +
                                  "their episodes end together");
    }
  }
  return game;
}

EmulatorConfig ConfigOf(const Options& options) {
  return {
      .game = &PlayedGame(options),
      .rom = LoadRom(GameOf(options.Text("task"))),
      .repeat_action_probability = static_cast<float>(options.Number("repeat_action_probability"))};
}

bool HasAllActions(const Options& options) {
  return options.Flag("full_action_space") || options.Flag("continuous");
}

class Atari final : public Env {
 public:
  explicit Atari(const Options& options)
      : config_(ConfigOf(options)),
        variation_(ChosenBy(options, *config_.game, UsualOf(*config_.game))),
        actions_(ActionsOf(*config_.game, HasAllActions(options))),
        is_continuous_(options.Flag("continuous")),
        threshold_(static_cast<float>(options.Number("continuous_action_threshold"))),
        colours_(PaletteOf(config_.game->is_pal), options.Flag("gray_scale")),
        frame_skip_(options.Integer("frame_skip")),
        noop_max_(options.Integer("noop_max")),
        clips_rewards_(options.Flag("reward_clip")),
        episodic_life_(options.Flag("episodic_life")),
        terminal_on_life_loss_(options.Flag("terminal_on_life_loss")),
        zero_discount_on_life_loss_(options.Flag("zero_discount_on_life_loss")),
        presses_fire_(options.Flag("use_fire_reset") &&
                      std::ranges::find(actions_, Action::kFire) != actions_.end()),
        sees_screen_(options.Text("obs_type") != "ram"),
        sees_ram_(options.Text("obs_type") != "screen"),
        stack_config_{.screen = ScreenSize(),
                      .size = {Size(options, "img_height"), Size(options, "img_width")},
                      .frames = Size(options, "stack_num"),
                      .pools = frame_skip_ > 1,
                      .interpolation = options.Flag("use_inter_area_resize")
                                           ? Interpolation::kArea
                                           : Interpolation::kLinear} {}

  static Spec MakeSpec(const Options& options);
  static std::size_t Memory(const Options& options);

  void Seed(std::uint64_t seed, Random&) override { seed_ = seed; }

  void Reset(Random& random, const Options& options) override {
    const Variation variation = ChosenBy(options, *config_.game, variation_);
    if (!emulator_) Make();
    emulator_->Choose(variation);
    StartGame(random);
    Warmup(random);
    if (stack_) stack_->Fill();
    seed_.reset();  // not before: if the game does not load, the next reset tries again
  }

  bool CanContinue() const override { return episodic_life_ && lost_life_ && !is_game_over_; }

  void Continue(Random& random) override {
    if (Warmup(random) && stack_) stack_->Fill();
  }

  StepResult Step(const envpool::Action& action, Random&) override {
    const int lives_before = lives_[0];
    Play(DeedsOf(action));
    StepResult result{.reward = PlayerReward(0)};
    if (zero_discount_on_life_loss_ && lives_[0] < lives_before) result.discount = 0.0F;
    result.terminated = is_game_over_ || ((episodic_life_ || terminal_on_life_loss_) && lost_life_);
    return result;
  }

  int NumPlayers() const override { return config_.game->players; }

  double PlayerReward(int player) const override {
    const double score = scores_[static_cast<std::size_t>(player)];
    return clips_rewards_ ? std::clamp(score, -1.0, 1.0) : score;
  }

  void Observe(const Row& row) const override {
    if (stack_) stack_->Write(row.Observation<std::uint8_t>(0));
    if (sees_ram_) {
      const auto ram = row.Observation<std::uint8_t>(sees_screen_ ? 1 : 0);
      std::ranges::copy(emulator_->Ram(), ram.begin());
    }
    for (std::size_t player = 0; player < static_cast<std::size_t>(NumPlayers()); ++player) {
      row.Info<std::int32_t>(0)[player] = lives_[player];
      row.Info<float>(1)[player] = static_cast<float>(scores_[player]);
      row.Info<std::int32_t>(2)[player] = is_game_over_;
    }
    std::ranges::copy(emulator_->Ram(), row.Info<std::uint8_t>(3).begin());
    row.Info<std::int64_t>(4)[0] = lives_[0];
    row.Info<std::int64_t>(5)[0] = emulator_->EpisodeFrameNumber();
    row.Info<std::int64_t>(6)[0] = emulator_->FrameNumber();
  }

  bool HasBegun() const override { return emulator_.has_value(); }
  void Serialize(Archive& archive) override;
  void Render(const Frame& frame) override;

 private:
  PlaneSize ScreenSize() const;
  void Make();
  void Load(std::uint64_t seed, Random& random);
  void StartGame(Random& random);
  bool Warmup(Random& random);
  Deeds DeedsOf(const envpool::Action& action) const;
  Deeds OfAll(Action action) const;
  void ReadLives();
  void Play(const Deeds& deeds);
  bool HasLostLife(int lives) const;

  const EmulatorConfig config_;
  const Variation variation_;  // of games for which resets choose nothing else
  const std::vector<Action> actions_;
  const bool is_continuous_;
  const float threshold_;  // of the stick, where actions are continuous
  const Colours colours_;
  const std::int64_t frame_skip_;
  const std::int64_t noop_max_;
  const bool clips_rewards_;
  const bool episodic_life_;
  const bool terminal_on_life_loss_;
  const bool zero_discount_on_life_loss_;
  const bool presses_fire_;
  const bool sees_screen_;
  const bool sees_ram_;
  const FrameStackConfig stack_config_;

  // Made by the first reset, which may run beside others: it takes a while.
  std::optional<Emulator> emulator_;
  std::optional<FrameStack> stack_;    // if the screen is observed; nothing is painted otherwise
  std::optional<std::uint64_t> seed_;  // for the next reset, if there is none since it was given
  std::array<int, 2> lives_ = {};
  std::array<int, 2> scores_ = {};  // the last step's rewards, unclipped
  bool lost_life_ = false;
  bool is_game_over_ = false;
};

Field ActionField(const Options& options) {
  if (options.Flag("continuous")) {
    constexpr double kHalfTurn = std::numbers::pi_v<float>;
    return Box("action", DType::kFloat32, {3}, {0.0, -kHalfTurn, 0.0}, {1.0, kHalfTurn, 1.0});
  }
  const Game& game = PlayedGame(options);
  return Discrete("action", static_cast<int>(ActionsOf(game, HasAllActions(options)).size()));
}

Field Bytes(const char* name, std::vector<int> shape) {
  return Box(name, DType::kUInt8, std::move(shape), {0}, {255});
}

Field ScreenField(const char* name, const Options& options) {
  const int planes = options.Flag("gray_scale") ? 1 : 3;
  return Bytes(name, {static_cast<int>(Size(options, "stack_num")) * planes,
                      static_cast<int>(Size(options, "img_height")),
                      static_cast<int>(Size(options, "img_width"))});
}

Spec Atari::MakeSpec(const Options& options) {
  Spec spec;
  spec.max_num_players = PlayedGame(options).players;
  const std::string& type = options.Text("obs_type");
  if (type == "screen") spec.observation = {ScreenField("obs", options)};
  if (type == "ram") spec.observation = {Bytes("obs", {kRamBytes})};
  if (type == "both") {
    spec.observation_structure = Structure::kDict;
    spec.observation = {ScreenField("screen", options), Bytes("memory", {kRamBytes})};
  }
  const Field action = ActionField(options);
  spec.action = {spec.max_num_players > 1 ? action.PerPlayer() : action};
  spec.info = {Box("lives", DType::kInt32, {}).PerPlayer(),
               Box("reward", DType::kFloat32, {}).PerPlayer(),
               Box("terminated", DType::kInt32, {}, {0}, {1}).PerPlayer(),
               Bytes("ram", {kRamBytes}),
               Box("lives_int64", DType::kInt64, {}),
               Box("episode_frame_number", DType::kInt64, {}),
               Box("frame_number", DType::kInt64, {})};
  return spec;
}

// Counts pictures, those that the emulator draws into and ours, as if no two rows were alike, and
// what else an emulator holds, as measured.
std::size_t Atari::Memory(const Options& options) {
  constexpr std::size_t kOtherBytes = 1 << 14;
  const FrameSize screen = ScreenOf(GameOf(options.Text("task")));
  const std::size_t pixels =
      static_cast<std::size_t>(screen.height) * static_cast<std::size_t>(screen.width);
  const std::size_t planes = options.Flag("gray_scale") ? 1 : 3;
  const std::size_t frame = planes * Size(options, "img_height") * Size(options, "img_width");
  return kOtherBytes + 2 * atari2600::kPictureSize + planes * pixels +
         Size(options, "stack_num") * frame;
}

PlaneSize Atari::ScreenSize() const {
  const FrameSize screen = ScreenOf(*config_.game);
  return {static_cast<std::size_t>(screen.height), static_cast<std::size_t>(screen.width)};
}

void Atari::Make() {
  emulator_.emplace(config_);
  if (sees_screen_) stack_.emplace(stack_config_, colours_);
}

// Does what AtariEnv.reset(seed=...) does: one word of the sequence seeds the generator of no-ops,
// the other one that of repeated actions, and the game is loaded anew.
void Atari::Load(std::uint64_t seed, Random& random) {
  const auto [words] = SeedSequence(seed).Generate<1>();
  random = Random(static_cast<std::uint32_t>(words));
  emulator_->PowerOn(static_cast<std::uint32_t>(words >> 32));
}

void Atari::StartGame(Random& random) {
  if (seed_) Load(*seed_, random);
  emulator_->Reset();
}

// Plays the first frames of an episode, which are no steps: fire, to start those games that wait
// for it, and a random number of frames without an action. Returns true if the game ended in them
// and a new one began.
bool Atari::Warmup(Random& random) {
  bool is_new_game = false;
  std::int64_t noops = noop_max_ > 0 ? random.Integers(1, noop_max_ + 1) : 0;
  if (presses_fire_) {
    --noops;
    emulator_->Act(OfAll(Action::kFire), sees_screen_ && noops < 2);
  }
  for (; noops > 0; --noops) {
    emulator_->Act({}, sees_screen_ && noops <= 2);
    if (!emulator_->IsGameOver()) continue;
    StartGame(random);  // as in Gymnasium, with the seed once more if this reset has one
    is_new_game = true;
  }
  ReadLives();
  scores_ = {};
  lost_life_ = false;
  is_game_over_ = emulator_->IsGameOver();
  if (stack_) {
    emulator_->PaintLast();
    stack_->Begin(emulator_->LastPicture());
  }
  return is_new_game;
}

Deeds Atari::DeedsOf(const envpool::Action& action) const {
  Deeds deeds;
  for (std::size_t player = 0; player < static_cast<std::size_t>(NumPlayers()); ++player) {
    Deed& deed = deeds[player];
    if (is_continuous_) {
      const auto values = action.Values<float>().subspan(3 * player, 3);
      const Stick stick = {.radius = values[0], .angle = values[1], .button = values[2]};
      deed = {.action = ActionOfStick(stick, threshold_), .strength = stick.radius};
    } else {
      const std::int32_t number = action.Values<std::int32_t>()[player];
      deed.action = actions_[static_cast<std::size_t>(number)];
    }
  }
  return deeds;
}

Deeds Atari::OfAll(Action action) const {
  if (NumPlayers() == 1) return {Deed{action}};
  return {Deed{action}, Deed{action}};
}

void Atari::ReadLives() {
  for (int player = 0; player < NumPlayers(); ++player) {
    lives_[static_cast<std::size_t>(player)] = emulator_->Lives(player);
  }
}

void Atari::Play(const Deeds& deeds) {
  std::optional<atari2600::Picture> unfinished;  // which the last frame goes on with
  LastPictures pictures;
  scores_ = {};
  lost_life_ = false;
  for (std::int64_t left = frame_skip_; left > 0; --left) {
    const auto rewards = emulator_->Act(deeds, sees_screen_ && left <= 2);
    for (std::size_t player = 0; player < rewards.size(); ++player) {
      scores_[player] += rewards[player];
    }
    is_game_over_ = emulator_->IsGameOver();
    lost_life_ = HasLostLife(emulator_->Lives());
    ReadLives();
    if (is_game_over_ || lost_life_) break;
    if (!sees_screen_) continue;
    const atari2600::Picture& picture = emulator_->LastPicture();
    if (left == 2) {
      if (emulator_->IsUnfinished()) unfinished = picture;
      pictures.earlier = unfinished ? &*unfinished : &picture;
    }
    if (left == 1) pictures.later = &picture;
  }
  if (stack_) stack_->Push(pictures);
}

// True if the last frame has cost a life, and that ends the episode.
bool Atari::HasLostLife(int lives) const {
  if (lives >= lives_[0]) return false;
  // Some games go on for some frames with no life left.
  return terminal_on_life_loss_ || (episodic_life_ && lives > 0);
}

void Atari::Serialize(Archive& archive) {
  bool has_emulator = emulator_.has_value();
  bool has_seed = seed_.has_value();
  std::uint64_t seed = seed_.value_or(0);
  archive(has_emulator, has_seed);
  archive.Any(seed, lives_, scores_);
  archive(lost_life_, is_game_over_);
  if (archive.IsReader()) seed_ = has_seed ? std::optional(seed) : std::nullopt;
  if (!has_emulator) return;
  if (!emulator_) Make();
  try {
    emulator_->Serialize(archive);
    if (stack_) stack_->Serialize(archive);
  } catch (...) {
    seed_ = 0;  // the next reset loads the game anew
    throw;
  }
}

void Atari::Render(const Frame& frame) {
  if (frame.camera > 0) throw std::invalid_argument("there is only one view: -1 or 0");
  emulator_->PaintLast();
  const PlaneSize screen = ScreenSize();
  const PlaneSize size = {static_cast<std::size_t>(frame.height),
                          static_cast<std::size_t>(frame.width)};
  const Colours colours(PaletteOf(config_.game->is_pal), false);
  const auto resize = MakeResize(screen, size, Interpolation::kArea);
  const std::vector<std::uint8_t> pixels = emulator_->Screen();
  std::vector<std::uint8_t> plane(screen.Pixels());
  std::vector<std::uint8_t> row(size.width);
  for (std::size_t channel = 0; channel < colours.NumPlanes(); ++channel) {
    colours.LookUp(channel, pixels.data(), plane.size(), plane.data());
    for (std::size_t y = 0; y < size.height; ++y) {
      resize->Row(plane.data(), y, row.data());
      for (std::size_t x = 0; x < size.width; ++x) {
        frame.pixels[(y * size.width + x) * 3 + channel] = row[x];
      }
    }
  }
}

[[maybe_unused]] const bool registered = Register({
    .name = "Atari",
    .options =
        {{"stack_num", 4, "how many frames an observation has", kSize},
         {"frame_skip", 4, "for how many frames an action is repeated", kSize},
         {"noop_max", 30, "an episode starts after 1 to so many frames; 0: at once", {0, kMost}},
         {"zero_discount_on_life_loss", false, "dm_env's discount is 0 where a life is lost"},
         {"episodic_life", false, "a lost life ends the episode; the next one continues the game"},
         {"reward_clip", false, "rewards are -1, 0 or 1"},
         {"use_fire_reset", true, "press fire at the start of an episode, if it is an action"},
         {"img_height", 84, "rows of an observed frame", kSize},
         {"img_width", 84, "pixels in a row of an observed frame", kSize},
         {"task", "pong", "the game"},
         {"players", 1, "how many play: two can play some games", {1, 2}},
         {"mode", -1, "the game's mode; -1: its default"},
         {"difficulty", -1, "the game's difficulty; -1: its default"},
         {"full_action_space", false, "all of the console's actions, not only the game's"},
         {"repeat_action_probability", 0.0, "of a frame that repeats the action before",
          kProbability},
         {"use_inter_area_resize", true, "resize by areas; False: linearly"},
         {"gray_scale", true, "grey; False: red, green and blue planes of each frame"},
         {"terminal_on_life_loss", false, "a lost life ends the episode and the game"},
         {.name = "obs_type",
          .default_value = "screen",
          .description = "observe the screen, or the console's memory, or both",
          .choices = {"screen", "ram", "both"}},
         {"continuous", false,
          "actions are a stick's distance from the middle and angle, and the button"},
         {"continuous_action_threshold", 0.5, "how far a stick or button moves to count",
          kProbability}},
    .reset_options = {{"mode", -1, "the game's mode; -1: the environment's"},
                      {"difficulty", -1, "the game's difficulty; -1: the environment's"}},
    .spec = Atari::MakeSpec,
    .create = Create<Atari>,
    .memory = Atari::Memory,
    .state_version = 6,
    .frame_size = [](const Options& options) { return ScreenOf(GameOf(options.Text("task"))); },
    .render_fps =
        [](const Options& options) {
          return kFramesPerSecond / static_cast<double>(options.Integer("frame_skip"));
        },
});

}  // namespace
}  // namespace envpool::atari
