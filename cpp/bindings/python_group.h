// PythonGroup: environments that one object of Python steps as a batch.
//
// Numbers go through NumPy's arrays with a row per environment, which Python has allocated once: no
// object is made per environment and step. Resets are noted where the executor asks for them, and
// done in one call before rows are read. See envpool/batched/group.py.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "bindings/python_env.h"

namespace envpool {

class PythonSeat;  // one of them

class PythonGroup {
 public:
  // An object of Python's class Group.
  explicit PythonGroup(py::object group);

  // See PythonEnv; `environment` notes resets.
  std::unique_ptr<PythonEnv> MakeSeat(const PythonInterface& interface, std::int32_t id,
                                      py::object environment, py::object seed);
  // Steps these seats in one call.
  void Step(std::span<Turn> turns);
  // Does the resets that were noted. What that raises is their seats' failure.
  void Finish();

 private:
  friend class PythonSeat;
  using Arrays = std::vector<py::buffer_info>;  // with a row per environment

  const py::object group_;
  const Arrays actions_;
  const Arrays outcomes_;  // of steps: rewards, terminated, truncated
  const Arrays observations_;
  const Arrays infos_;
  std::vector<PythonSeat*> asked_;  // for a reset
};

}  // namespace envpool
