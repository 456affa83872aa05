// Checks of options, and what the toy_text environments have in common.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "envpool/field.h"
#include "envpool/options.h"

namespace envpool {

// An option that is a probability. Throws std::invalid_argument if its value is none.
inline double Probability(const Options& options, std::string_view name) {
  const double value = options.Number(name);
  if (!(value >= 0.0 && value <= 1.0)) {
    throw std::invalid_argument(std::string(name) + " is " + std::to_string(value) +
                                ", expected 0 <= " + std::string(name) + " <= 1");
  }
  return value;
}

// Gymnasium's info `prob`: how probable the last transition was.
inline Field TransitionProbability() { return Box("prob", DType::kFloat64, {}); }

// Gymnasium's render_fps of all its toy_text environments.
inline double StepsPerSecond(const Options&) { return 4.0; }

}  // namespace envpool
