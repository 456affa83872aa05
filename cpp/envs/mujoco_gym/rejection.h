// Rejection sampling, as Gymnasium does it, but not for ever: options can leave next to nothing to
// accept.
#pragma once

#include <array>
#include <stdexcept>
#include <string>

namespace envpool::mujoco {

using Point = std::array<double, 2>;

// What `draw` returns as soon as `accepted` says yes. Throws std::runtime_error, which names the
// option that decides, after so many draws as take some hundredths of a second.
template <class Draw, class Accepted>
Point DrawUntil(Accepted accepted, const std::string& option, Draw draw) {
  constexpr int kMostDraws = 1'000'000;
  for (int i = 0; i < kMostDraws; ++i) {
    const Point drawn = draw();
    if (accepted(drawn)) return drawn;
  }
  throw std::runtime_error(option + " accepts none of " + std::to_string(kMostDraws) +
                           " positions that were drawn");
}

}  // namespace envpool::mujoco
