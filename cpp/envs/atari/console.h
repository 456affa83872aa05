// Console: how a game's mode is chosen, with the switches and the controllers.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "atari/action.h"
#include "atari/memory.h"

namespace envpool::atari {

class Console {
 public:
  virtual ~Console() = default;
  virtual Memory Bytes() const = 0;
  // Holds the select switch for some frames, which the rules do not see, and lets it go for one.
  virtual void PressSelect(int frames) = 0;
  // Holds the reset switch for four frames.
  virtual void PressReset() = 0;
  // Plays a frame, or nothing if the game is over.
  virtual void Act(Action action) = 0;
  // Draws from the generator that repeats actions.
  virtual std::uint32_t Random() = 0;
};

// Does something until the condition holds. Throws std::runtime_error if that takes too long.
template <class Condition, class Function>
void RepeatUntil(const Condition& holds, const Function& act) {
  constexpr int kMostTries = 2000;
  for (int tries = 0; !holds(); ++tries) {
    if (tries == kMostTries) throw std::runtime_error("the game does not come to the mode");
    act();
  }
}

template <class Condition>
void SelectUntil(Console& console, int frames, const Condition& holds) {
  RepeatUntil(holds, [&] { console.PressSelect(frames); });
}

}  // namespace envpool::atari
