// ResetBounds: the range of initial states, as the reset options `low` and `high`.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/options.h"

namespace envpool {

inline std::vector<OptionSpec> LowAndHigh(double low, double high) {
  return {{"low", low, "least initial value of each random state variable", kFloat32},
          {"high", high, "largest initial value of each random state variable", kFloat32}};
}

inline void CheckLowAndHigh(const Options& options) {
  const double low = options.Number("low");
  const double high = options.Number("high");
  if (low > high) {
    throw std::invalid_argument("option low is " + Shortest(low) +
                                ", expected at most high = " + Shortest(high));
  }
}

}  // namespace envpool
