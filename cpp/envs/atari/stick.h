// ActionOfStick: the action of a stick that is held in any direction, as far as one likes.
#pragma once

#include "atari/action.h"

namespace envpool::atari {

// A stick's place: how far it is from the middle, the angle from the right to the left by way of
// the top, and how far the button is pressed.
struct Stick {
  float radius = 0.0F;
  float angle = 0.0F;
  float button = 0.0F;
};

// Returns the action of the contacts that close where the stick is further off than the threshold.
// Follows AtariEnv.step of ale_py (continuous=True; J. Farebrother, P. S. Castro, "CALE: Continuous
// Arcade Learning Environment", 2024).
Action ActionOfStick(const Stick& stick, float threshold);

}  // namespace envpool::atari
