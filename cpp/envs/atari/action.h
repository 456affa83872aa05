// Action: what the player does for a frame, and sets of actions.
#pragma once

#include <cstdint>

namespace envpool::atari {

// The order is ALE's, and the numbers are those of ale_py.
enum class Action : std::uint8_t {
  kNoop,
  kFire,
  kUp,
  kRight,
  kLeft,
  kDown,
  kUpRight,
  kUpLeft,
  kDownRight,
  kDownLeft,
  kUpFire,
  kRightFire,
  kLeftFire,
  kDownFire,
  kUpRightFire,
  kUpLeftFire,
  kDownRightFire,
  kDownLeftFire,
  kResetSwitch,  // no player's action: one game starts with it
};

inline constexpr int kNumActions = 18;  // of a player

// A set has bit 1 << action for each of its actions.
using ActionSet = std::uint32_t;

template <class... Actions>
constexpr ActionSet SetOf(Actions... actions) {
  return ((ActionSet{1} << static_cast<unsigned>(actions)) | ...);
}

constexpr bool Contains(ActionSet set, Action action) { return (set & SetOf(action)) != 0; }

// The sets that the games' own are made of. The names say how the stick is held.
inline constexpr ActionSet kNoop = SetOf(Action::kNoop);
inline constexpr ActionSet kFire = SetOf(Action::kFire);
inline constexpr ActionSet kUp = SetOf(Action::kUp);
inline constexpr ActionSet kDown = SetOf(Action::kDown);
inline constexpr ActionSet kSideways = SetOf(Action::kRight, Action::kLeft);
inline constexpr ActionSet kStraight = kUp | kDown | kSideways;
inline constexpr ActionSet kUpAslant = SetOf(Action::kUpRight, Action::kUpLeft);
inline constexpr ActionSet kDownAslant = SetOf(Action::kDownRight, Action::kDownLeft);
inline constexpr ActionSet kAslant = kUpAslant | kDownAslant;

// The same with the button pressed.
inline constexpr ActionSet kUpFire = SetOf(Action::kUpFire);
inline constexpr ActionSet kDownFire = SetOf(Action::kDownFire);
inline constexpr ActionSet kSidewaysFire = SetOf(Action::kRightFire, Action::kLeftFire);
inline constexpr ActionSet kStraightFire = kUpFire | kDownFire | kSidewaysFire;
inline constexpr ActionSet kUpAslantFire = SetOf(Action::kUpRightFire, Action::kUpLeftFire);
inline constexpr ActionSet kDownAslantFire = SetOf(Action::kDownRightFire, Action::kDownLeftFire);
inline constexpr ActionSet kAslantFire = kUpAslantFire | kDownAslantFire;

inline constexpr ActionSet kWithoutButton = kNoop | kStraight | kAslant;
inline constexpr ActionSet kAllActions = kWithoutButton | kFire | kStraightFire | kAslantFire;

}  // namespace envpool::atari
