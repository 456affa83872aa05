// Options that several environments have, and checks of their values.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "envpool/options.h"
#include "highway/numbers.h"

namespace envpool::highway {

inline OptionSpec Reward(const char* name, double value, const char* what) {
  return {name, value, what, kFloat32};
}
inline OptionSpec Duration(double seconds) {
  return {"duration", seconds, "when an episode is truncated, s", kAnyNumber};
}
inline OptionSpec Count(const char* name, int count, const char* what, int least = 0,
                        int most = 1000) {
  return {name, count, what, {double(least), double(most)}};
}

inline OptionSpec RewardSpeedRange(std::vector<double> range) {
  return {"reward_speed_range", std::move(range), "speeds that are rewarded with 0 and 1, m/s",
          kFloat32};
}

// Throws std::invalid_argument, with this message, if a condition of options does not hold.
void Require(bool holds, const std::string& message);

// Throws std::invalid_argument if a list is none of so many numbers; an empty one may be allowed.
const std::vector<double>& NumbersOf(const Options& options, std::string_view name,
                                     std::size_t size, bool may_be_empty = false);

// Returns an option of two numbers as an interval. Throws std::invalid_argument if it is none.
Interval IntervalOf(const Options& options, std::string_view name);

}  // namespace envpool::highway
