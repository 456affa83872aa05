// Controls: the console's controllers and switches, and what an action does to them.
#pragma once

#include <array>
#include <cstdint>

#include "atari/action.h"
#include "atari/game.h"
#include "atari2600/machine.h"
#include "envpool/archive.h"

namespace envpool::atari {

// What a player does in a frame. A paddle turns by as much of its step as the strength says, of
// which the sign does not count.
struct Deed {
  Action action = Action::kNoop;
  float strength = 1.0F;
};

// Those of both players; where there is one, the second one does nothing.
using Deeds = std::array<Deed, 2>;

class Controls {
 public:
  explicit Controls(const Game& game);

  // Bit 0 is the left player's switch, bit 1 the right one's.
  void SetDifficulty(int difficulty) { difficulty_ = difficulty; }

  // Turns the paddles to their middles.
  void Centre();

  // Each returns what the machine sees during a frame. Hold also turns the paddles.
  atari2600::Inputs Hold(const Deeds& deeds);
  atari2600::Inputs PressSelect() const;
  // ALE: before the first reset, both paddles are at their ends.
  atari2600::Inputs AtPowerOn() const;

  void Serialize(Archive& archive);

 private:
  bool HasPaddles() const;
  int MiddleOfPaddle() const;
  std::size_t PortOf(std::size_t player) const;
  atari2600::Inputs Untouched(const std::array<int, 2>& paddles, int difficulty) const;
  void Turn(int& paddle, const Deed& deed) const;
  void Press(std::size_t player, Action action, atari2600::Inputs& inputs) const;

  const Controllers controllers_;
  const int most_paddle_;
  const int power_on_difficulty_;
  const bool has_two_players_;
  int difficulty_ = 0;
  std::array<int, 2> paddles_ = {};  // the players', by their resistance
};

}  // namespace envpool::atari
