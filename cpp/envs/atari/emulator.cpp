#include "atari/emulator.h"

namespace envpool::atari {

namespace {

constexpr int kFramesOfWaiting = 60;  // after the power switch, before anything is pressed
constexpr int kFramesOfReset = 4;     // that the reset switch is held
constexpr int kUsualHeight = 210;

atari2600::MachineConfig ConfigOf(const Game& game) {
  return {.ystart = game.ystart,
          .height = game.height,
          .is_pal = game.is_pal,
          .has_hmove_blanks = game.has_hmove_blanks};
}

// ALE: whether a game is for PAL is found out by running it on a television that is not.
atari2600::MachineConfig ConfigBeforeDetection(const Game& game) {
  atari2600::MachineConfig config = ConfigOf(game);
  if (game.is_pal) config.height = kUsualHeight;
  config.is_pal = false;
  return config;
}

}  // namespace

Emulator::Emulator(const EmulatorConfig& config)
    : game_(*config.game),
      rom_(config.rom),
      repeat_action_probability_(config.repeat_action_probability),
      mode_of_config_(config.mode),
      difficulty_of_config_(config.difficulty),
      machine_(rom_, ConfigOf(game_)),
      controls_(game_),
      mode_(config.mode.value_or(game_.modes[0])) {
  controls_.SetDifficulty(config.difficulty.value_or(0));
}

// Some games differ between the first reset and the second, because memory keeps what is in it. ALE
// does the first one before it is told of a mode and a difficulty.
void Emulator::PowerOn(std::uint32_t seed) {
  machine_ = atari2600::Machine(rom_, ConfigBeforeDetection(game_));
  machine_.Reset();
  const atari2600::Inputs inputs = controls_.AtPowerOn();
  for (int frame = 0; frame < kFramesOfWaiting; ++frame) machine_.RunFrame(inputs, false);
  if (game_.is_pal) machine_.SetPal(game_.height);
  machine_.Reset();

  random_ = MersenneTwister(seed);
  progress_ = {};
  frame_number_ = 0;
  mode_ = game_.modes[0];
  controls_.SetDifficulty(0);
  Reset();
  mode_ = mode_of_config_.value_or(mode_);
  controls_.SetDifficulty(difficulty_of_config_.value_or(0));
}

void Emulator::Reset() {
  episode_frame_number_ = 0;
  controls_.Centre();
  machine_.Reset();
  for (int frame = 0; frame < kFramesOfWaiting; ++frame) RunFrame(Action::kNoop, 1.0F, false);
  PressReset(false);
  game_.Start(progress_);
  game_.SetMode(*this, progress_, mode_);
  PressReset(true);
  for (const Action action : game_.starting_actions) RunFrame(action, 1.0F, true);
}

// ALE: each frame draws twice, the second time for another player, whom nobody plays here.
int Emulator::Act(Action action, bool is_painted, float strength) {
  if (random_.NextUnit() >= repeat_action_probability_) {
    repeated_action_ = action;
    repeated_strength_ = strength;
  }
  random_.Next();
  if (progress_.is_over) return 0;
  const bool is_legal = Contains(game_.legal_actions, repeated_action_);
  RunFrame(is_legal ? repeated_action_ : Action::kNoop, repeated_strength_, is_painted);
  CountFrame();
  return progress_.reward;
}

void Emulator::PressSelect(int frames) {
  const atari2600::Inputs inputs = controls_.PressSelect();
  for (int frame = 0; frame < frames; ++frame) machine_.RunFrame(inputs, false);
  RunFrame(Action::kNoop, 1.0F, false);
  CountFrame();
}

void Emulator::PressReset(bool is_painted) {
  for (int frame = 0; frame < kFramesOfReset; ++frame) {
    RunFrame(Action::kResetSwitch, 1.0F, is_painted);
  }
  repeated_action_ = Action::kNoop;
}

void Emulator::RunFrame(Action action, float strength, bool is_painted) {
  machine_.RunFrame(controls_.Hold(action, strength), is_painted);
  game_.step(Bytes(), progress_);
}

void Emulator::CountFrame() {
  ++frame_number_;
  ++episode_frame_number_;
}

void Emulator::Serialize(Archive& archive) {
  archive(machine_, controls_, random_, progress_);
  archive.Range(repeated_action_, Action::kNoop, Action::kDownLeftFire);
  archive(repeated_strength_);
  archive.Count(frame_number_, episode_frame_number_);
}

}  // namespace envpool::atari
