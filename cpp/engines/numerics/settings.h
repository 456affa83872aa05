// What a family has to be told so that it computes as the NumPy that runs beside it.
#pragma once

#include <functional>
#include <vector>

#include "envpool/options.h"

namespace envpool::numerics {

// RegisterSettings for a family that uses loops.h and products.h, and has these settings beside
// theirs.
bool Register(std::vector<OptionSpec> settings, std::function<void(const Options&)> configure);

}  // namespace envpool::numerics
