// Require: a check that ends in an exception.
#pragma once

#include <stdexcept>
#include <string>

namespace envpool {

// Throws std::invalid_argument with this message unless the condition holds.
inline void Require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

}  // namespace envpool
