// What a family has to be told so that it computes as the NumPy that runs beside it.
#pragma once

#include <vector>

#include "envpool/options.h"

namespace envpool::numerics {

// The settings of a family that uses loops.h and products.h, for RegisterSettings.
std::vector<OptionSpec> Settings();

// Takes their values. Throws std::invalid_argument for one that is not allowed.
void Configure(const Options& settings);

}  // namespace envpool::numerics
