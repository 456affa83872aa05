// Emulator: a machine that plays one game, as ALE's does (M. G. Bellemare et al., "The Arcade
// Learning Environment", 2013): how a game begins, what actions do, and what the rules say of each
// frame.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "atari/controls.h"
#include "atari/game.h"
#include "atari2600/machine.h"
#include "envpool/archive.h"
#include "envpool/family.h"
#include "numerics/mersenne_twister.h"

namespace envpool::atari {

struct EmulatorConfig {
  const Game* game = nullptr;
  std::shared_ptr<const atari2600::Rom> rom = {};
  float repeat_action_probability = 0.0F;
};

class Emulator final : private Console {
 public:
  // The machine is off: it is switched on, or reads a state.
  explicit Emulator(const EmulatorConfig& config);

  // Forgets everything, and seeds the generator that repeats actions. The game still has to be
  // reset.
  void PowerOn(std::uint32_t seed);

  // Says how the games are played that begin from now on.
  void Choose(const Variation& variation);

  // Begins a game.
  void Reset();

  // Runs one frame, or nothing if the game is over, and returns the players' rewards. Only what is
  // painted can be seen.
  std::array<int, 2> Act(const Deeds& deeds, bool is_painted);

  bool IsGameOver() const { return progress_.is_over; }
  int Lives(int player = 0) const { return game_.LivesLeft(progress_, player); }
  int FrameNumber() const { return frame_number_; }
  int EpisodeFrameNumber() const { return episode_frame_number_; }
  std::span<const std::uint8_t> Ram() const { return machine_.Ram(); }

  // Paints the last frame if it was not.
  void PaintLast() { machine_.PaintLast(); }
  FrameSize ScreenSize() const { return ScreenOf(game_); }
  // The colours of the last painted frame as indices of the palette, row by row.
  std::vector<std::uint8_t> Screen() const { return machine_.Screen(); }

  // The same, for as long as no frame is run, or one if this one is not unfinished.
  const atari2600::Picture& LastPicture() const { return machine_.LastPicture(); }
  bool IsUnfinished() const { return machine_.IsUnfinished(); }

  void Serialize(Archive& archive);

 private:
  // How modes are chosen.
  Memory Bytes() const override { return {machine_.Ram(), machine_.CartridgeRam()}; }
  void PressSelect(int frames) override;
  void PressReset() override { PressReset(false); }
  void Act(Action action) override { Act({Deed{action}}, false); }
  std::uint32_t Random() override { return random_.Next(); }

  void PressReset(bool is_painted);
  void StartSecondPlayer();
  void RunFrame(const Deeds& deeds, bool is_painted);
  void CountFrame();

  const Game& game_;
  const std::shared_ptr<const atari2600::Rom> rom_;
  const double repeat_action_probability_;

  atari2600::Machine machine_;
  Controls controls_;
  numerics::MersenneTwister random_{0};
  Progress progress_;
  Variation variation_;
  Deeds repeated_ = {};
  int frame_number_ = 0;
  int episode_frame_number_ = 0;
};

}  // namespace envpool::atari
