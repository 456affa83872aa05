#include "atari/emulator.h"

#include <algorithm>

namespace envpool::atari {

namespace {

constexpr int kFramesOfWaiting = 60;  // after the power switch, before anything is pressed
constexpr int kFramesOfReset = 4;     // that the reset switch is held
constexpr int kUsualHeight = 210;
constexpr int kMostDifficulty = 3;  // of two switches, each of which is a bit

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
      machine_(rom_, ConfigOf(game_)),
      controls_(game_),
      variation_{.mode = game_.modes[0]} {}

// Some games differ between the first reset and the second, because memory keeps what is in it. ALE
// does the first one before it is told of a mode and a difficulty.
void Emulator::PowerOn(std::uint32_t seed) {
  machine_ = atari2600::Machine(rom_, ConfigBeforeDetection(game_));
  machine_.Reset();
  const atari2600::Inputs inputs = controls_.AtPowerOn();
  for (int frame = 0; frame < kFramesOfWaiting; ++frame) machine_.RunFrame(inputs, false);
  if (game_.is_pal) machine_.SetPal(game_.height);
  machine_.Reset();

  random_ = numerics::MersenneTwister(seed);
  progress_ = {};
  frame_number_ = 0;
  const Variation chosen = variation_;
  Choose({.mode = game_.modes[0]});
  Reset();
  Choose(chosen);
}

void Emulator::Choose(const Variation& variation) {
  variation_ = variation;
  controls_.SetDifficulty(variation.difficulty);
}

void Emulator::Reset() {
  episode_frame_number_ = 0;
  controls_.Centre();
  machine_.Reset();
  for (int frame = 0; frame < kFramesOfWaiting; ++frame) RunFrame({}, false);
  PressReset(false);
  game_.Start(progress_);
  game_.SetMode(*this, progress_, variation_.mode);
  PressReset(true);
  for (const Action action : game_.starting_actions) RunFrame({Deed{action}}, true);
  if (game_.players == 2) StartSecondPlayer();
}

// As multi_agent_ale_py does it.
void Emulator::StartSecondPlayer() {
  RunFrame({}, true);
  for (const Action action : game_.starting_actions) RunFrame({Deed{}, Deed{action}}, true);
  RunFrame({}, true);
}

// ALE: each frame draws for two players, even where one plays.
std::array<int, 2> Emulator::Act(const Deeds& deeds, bool is_painted) {
  Deeds legal;
  for (const std::size_t player : {0, 1}) {
    if (random_.NextUnit() >= repeat_action_probability_) repeated_[player] = deeds[player];
    legal[player] = repeated_[player];
    if (!Contains(game_.legal_actions, legal[player].action)) legal[player].action = Action::kNoop;
  }
  if (progress_.is_over) return {};
  RunFrame(legal, is_painted);
  CountFrame();
  return {game_.Reward(progress_, 0), game_.Reward(progress_, 1)};
}

void Emulator::PressSelect(int frames) {
  const atari2600::Inputs inputs = controls_.PressSelect();
  for (int frame = 0; frame < frames; ++frame) machine_.RunFrame(inputs, false);
  RunFrame({}, false);
  CountFrame();
}

void Emulator::PressReset(bool is_painted) {
  for (int frame = 0; frame < kFramesOfReset; ++frame) {
    RunFrame({Deed{Action::kResetSwitch}}, is_painted);
  }
  for (Deed& deed : repeated_) deed.action = Action::kNoop;
}

void Emulator::RunFrame(const Deeds& deeds, bool is_painted) {
  machine_.RunFrame(controls_.Hold(deeds), is_painted);
  game_.step(Bytes(), progress_);
}

void Emulator::CountFrame() {
  ++frame_number_;
  ++episode_frame_number_;
}

void Emulator::Serialize(Archive& archive) {
  archive(machine_, controls_, random_, progress_);
  for (Deed& deed : repeated_) {
    archive.Range(deed.action, Action::kNoop, Action::kDownLeftFire);
    archive(deed.strength);
  }
  archive.Count(frame_number_, episode_frame_number_);
  Variation variation = variation_;
  archive.Any(variation.mode);
  archive.Require(std::ranges::find(game_.modes, variation.mode) != game_.modes.end(),
                  "a mode that the game does not have");
  archive.Range(variation.difficulty, 0, kMostDifficulty);
  Choose(variation);
}

}  // namespace envpool::atari
