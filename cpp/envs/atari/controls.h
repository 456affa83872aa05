// Controls: the console's controllers and switches, and what an action does to them.
#pragma once

#include <cstdint>

#include "atari/action.h"
#include "atari/game.h"
#include "atari2600/machine.h"
#include "envpool/archive.h"

namespace envpool::atari {

class Controls {
 public:
  explicit Controls(const Game& game);

  // Bit 0 is the left player's switch, bit 1 the right one's.
  void SetDifficulty(int difficulty) { difficulty_ = difficulty; }

  // Turns the paddle to its middle.
  void Centre();

  // Each returns what the machine sees during a frame. Hold also turns the paddle, by as much of
  // its step as `strength` says, of which the sign does not count.
  atari2600::Inputs Hold(Action action, float strength);
  atari2600::Inputs PressSelect() const;
  // ALE: before the first reset, both paddles are at their ends.
  atari2600::Inputs AtPowerOn() const;

  void Serialize(Archive& archive);

 private:
  bool HasPaddles() const;
  int MiddleOfPaddle() const;
  atari2600::Inputs Untouched(int paddle, int other_paddle, int difficulty) const;

  const Controllers controllers_;
  const int most_paddle_;
  const int power_on_difficulty_;
  int difficulty_ = 0;
  int paddle_ = 0;  // its resistance
};

}  // namespace envpool::atari
