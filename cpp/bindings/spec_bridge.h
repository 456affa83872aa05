// Between Python's dicts and the SDK's Options and Spec.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "envpool/env_type.h"

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

}  // namespace envpool
