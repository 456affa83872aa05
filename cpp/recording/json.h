// Options as JSON, with the numbers that JSON lacks as Python's json module writes them.
#pragma once

#include <string>

#include "envpool/options.h"

namespace envpool {

std::string ToJson(const Options& options);

}  // namespace envpool
