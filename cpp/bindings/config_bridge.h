// What pools are configured by, as Python says it.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>

#include "executor/threads/machine.h"
#include "loading/pool_config.h"

namespace envpool {

// All throw ValueError for what there is not.
AutoresetMode ReadAutoresetMode(const std::string& value);
DType ReadRewardType(const std::string& value);

// Seconds, of which there are none too many.
std::optional<Duration> ReadTimeout(std::optional<double> seconds);

}  // namespace envpool
