// ResultBuilder: turns a Delivery into the Python objects that a caller gets.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "bindings/plan.h"
#include "executor/pool.h"

namespace envpool {

namespace py = pybind11;

class ResultBuilder {
 public:
  // `plans` has trees of dicts and tuples with names of columns as leaves: "step" and "reset" for
  // the results of these, and, if the layout has final rows, "final_step" for those of steps in
  // which one is valid. Throws ValueError if one is missing or a column does not exist, TypeError
  // if a leaf is no name.
  ResultBuilder(const Layout& layout, const py::dict& plans);

  py::object Build(Delivery delivery, bool is_reset) const;

 private:
  // A plan, with its nodes' keys as Python has them.
  struct PyPlan {
    Plan nodes;
    std::vector<py::str> keys;
  };

  struct Source;

  PyPlan Read(const py::dict& plans, const char* name) const;
  void AddNode(PyPlan& plan, const py::str& key, py::handle tree) const;
  py::object BuildNode(const PyPlan& plan, std::size_t& next, const Source& source) const;
  bool HasFinalRow(const Source& source) const;

  const Layout& layout_;
  PyPlan step_;
  PyPlan reset_;
  PyPlan final_step_;
};

}  // namespace envpool
