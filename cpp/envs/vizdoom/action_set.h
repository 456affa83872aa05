// The combinations of buttons that are one action each, where actions are numbers.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "vizdoom/doom_library.h"

namespace envpool::vizdoom {

// The values that a button of mouse-like movement can have: so many from low to high.
struct DeltaValues {
  int count = 0;
  float low = 0.0F;
  float high = 0.0F;
};

// Returns the values of all buttons, in each action. The order is EnvPool's: of two buttons, the
// one with the smaller number changes later. At most one of opposite directions is pressed, and at
// most one weapon selected.
//
// Throws std::invalid_argument if there are more than a million.
std::vector<std::vector<double>> MakeActionSet(std::span<const Button> buttons, bool forces_speed,
                                               const std::map<Button, DeltaValues>& deltas);

// Returns the first of these actions.
std::vector<double> FirstAction(std::span<const Button> buttons, bool forces_speed,
                                const std::map<Button, DeltaValues>& deltas);

}  // namespace envpool::vizdoom
