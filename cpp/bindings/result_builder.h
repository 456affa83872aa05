// ResultBuilder: turns a Delivery into the Python objects that a caller gets.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <vector>

#include "envpool/spec.h"
#include "results/batches.h"
#include "results/layout.h"

namespace envpool {

namespace py = pybind11;

// A delivery whose memory belongs to Python: to whoever has an array of it, or the parcel itself.
struct Parcel {
  explicit Parcel(Delivery&& taken);

  Delivery delivery;  // without its block
  std::byte* block;
  py::object owner;
};

class ResultBuilder {
 public:
  // `plans` has trees of dicts and tuples with names of columns as leaves: "step" and "reset" for
  // the results of these, and, if the layout has final rows, "final_step" for those of steps in
  // which one is valid. Throws ValueError if a column does not exist.
  ResultBuilder(const Layout& layout, const py::dict& plans);

  py::object Build(const Parcel& parcel, bool is_reset) const;

 private:
  // Which columns of a batch make up a result, and how they nest: a tree of dicts and tuples whose
  // leaves are columns. Each node is followed by its children, and each child by its own.
  struct Node {
    py::str key;  // in the dict that it is in
    Structure structure = Structure::kSingle;
    std::size_t column = 0;    // of a kSingle, the index in Layout::all
    std::size_t copied = 0;    // of a kSingle, callers get copies of fewer rows than this
    std::size_t children = 0;  // of the others, how many
  };
  using Plan = std::vector<Node>;

  Plan Read(py::handle tree) const;
  void AddNode(Plan& plan, const py::str& key, py::handle tree) const;
  py::object BuildNode(const Plan& plan, std::size_t& next, const Parcel& parcel) const;
  std::size_t CopiedRows(const Column& column) const;
  bool HasFinalRow(const Parcel& parcel) const;

  const Layout& layout_;
  Plan step_;
  Plan reset_;
  Plan final_step_;
};

}  // namespace envpool
