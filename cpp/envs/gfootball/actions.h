// Actions: upstream's action sets, and the engine's numbers of what they consist of.
#pragma once

#include <string>
#include <vector>

namespace envpool::gfootball {

inline constexpr int kIdle = 0;
inline constexpr int kLeft = 1;  // the first of eight directions, each turned by 45 degrees
inline constexpr int kRight = 5;
inline constexpr int kShortPass = 11;

// Requires "default", "v2" or "full".
std::vector<int> ActionSet(const std::string& name);

// Returns those of an action set that go on until they are released.
std::vector<int> StickyActions(const std::vector<int>& action_set);

// Returns what a player does who is told this on a pitch that is turned by 180 degrees.
int TurnedAction(int action);

}  // namespace envpool::gfootball
