// What pools are configured by, as Python says it.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bindings/spec_bridge.h"
#include "loading/pool_config.h"
#include "threads/machine.h"

namespace envpool {

// What environments of a pool have in common: name, options of the first one, max_episode_steps.
using KindTuple = std::tuple<std::string, TypedOptions*, int>;

// `environments` are the options of all environments, or of each. `options` are those that native
// pools get by the table in python/envpool/spec/options.py, and what the pool's flavour decides.
PoolConfig ReadPoolConfig(const std::vector<KindTuple>& kinds, const std::vector<int>& kind_of,
                          const std::vector<const TypedOptions*>& environments,
                          const std::vector<std::uint64_t>& seeds, const py::dict& options);

// What these options say of how a pool runs, whoever runs its environments.
void ReadRun(const py::dict& options, PoolConfig& config);

// Seconds, of which there are none too many.
std::optional<Duration> ReadTimeout(std::optional<double> seconds);

}  // namespace envpool
