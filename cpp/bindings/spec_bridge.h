// Between Python's dicts and the SDK's Options and Spec, and what a pool is configured by.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "envpool/env_type.h"
#include "loading/pool_config.h"
#include "threads/machine.h"

namespace envpool {

namespace py = pybind11;

// The defaults of `specs`, with the values of `given` in their place. Throws TypeError for a value
// whose type is not the default's, KeyError for a name that `specs` lacks.
Options ReadOptions(const std::vector<OptionSpec>& specs, const py::dict& given);

// An environment's options in the types that its EnvType declares, and what that says of them.
class TypedOptions {
 public:
  // Throws as ReadOptions does. The type outlives all objects of this class.
  TypedOptions(const EnvType& type, const py::dict& given);

  const EnvType& Type() const { return *type_; }
  const Options& Values() const { return values_; }
  std::size_t Memory() const;
  // None if the environment has no frames, or no time of its own.
  FrameSize GetFrameSize() const;
  std::optional<double> RenderFps() const;
  // Made once. Throws std::invalid_argument if the type's spec is not sound.
  const Spec& GetSpec();

 private:
  const EnvType* type_;
  Options values_;
  std::optional<Spec> spec_;
};

// {name: value}
py::dict ToPython(const Options& options);

// {name: {"default": value, "description": text}}
py::dict DescribeOptions(const std::vector<OptionSpec>& specs);

// {"observation": [field, ...], "observation_structure": "single" | "dict" | "tuple", ...}
py::dict DescribeSpec(const Spec& spec);

// The columns that the executor itself writes, as fields.
py::list DescribeOwnColumns();

// The fields of a spec that Python describes: dicts with "name", "dtype" and "shape", and perhaps
// "low" and "high" (a number for all elements, or one each) and "space".
std::vector<Field> ReadFields(py::handle described);

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
