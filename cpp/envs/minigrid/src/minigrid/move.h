// Move: what an agent can do in a step; actions are these numbers.
#pragma once

#include <cstdint>

namespace envpool::minigrid {

enum class Move : std::int32_t { kLeft, kRight, kForward, kPickup, kDrop, kToggle, kDone };

}  // namespace envpool::minigrid
