#include "bindings/result_builder.h"

#include <algorithm>
#include <string>
#include <utility>

#include "bindings/numpy_bridge.h"

namespace envpool {

namespace {

// A caller that keeps an array over a block keeps the whole block. Where this is much more than the
// array, the caller gets a copy, so that a kept reward keeps no pictures. Large rows are never
// copied: that would take long.
constexpr std::size_t kMostKeptTimes = 16;
constexpr std::size_t kMostKeptBytes = 4096;    // less than this is never much
constexpr std::size_t kMostCopiedBytes = 1024;  // of a row

}  // namespace

Parcel::Parcel(Delivery&& taken)
    : delivery(std::move(taken)),
      block(delivery.block.get()),
      owner(OwnerOf(std::move(delivery.block))) {}

ResultBuilder::ResultBuilder(const Layout& layout, const py::dict& plans)
    : layout_(layout), step_(Read(plans["step"])), reset_(Read(plans["reset"])) {
  if (layout.config.final_rows) final_step_ = Read(plans["final_step"]);
}

ResultBuilder::Plan ResultBuilder::Read(py::handle tree) const {
  Plan plan;
  AddNode(plan, py::str(), tree);
  return plan;
}

void ResultBuilder::AddNode(Plan& plan, const py::str& key, py::handle tree) const {
  // Callers look entries up with interned strings: finding the very same one is quicker.
  PyObject* interned = key.inc_ref().ptr();
  PyUnicode_InternInPlace(&interned);
  Node node{.key = py::reinterpret_steal<py::str>(interned)};
  if (py::isinstance<py::str>(tree)) {
    node.column = layout_.IndexOf(py::cast<std::string>(tree));
    node.copied = CopiedRows(layout_.all[node.column]);
    plan.push_back(node);
    return;
  }
  const bool is_dict = py::isinstance<py::dict>(tree);
  node.structure = is_dict ? Structure::kDict : Structure::kTuple;
  node.children = py::len(tree);
  plan.push_back(node);
  if (is_dict) {
    for (const auto& [name, child] : py::reinterpret_borrow<py::dict>(tree)) {
      AddNode(plan, py::str(name), child);
    }
  } else {
    for (const py::handle child : tree) AddNode(plan, py::str(), child);
  }
}

// The object of the node at `next`, which is moved on to the node after it and all below it.
py::object ResultBuilder::BuildNode(const Plan& plan, std::size_t& next,
                                    const Parcel& parcel) const {
  const Node& node = plan[next++];
  switch (node.structure) {
    case Structure::kSingle: {
      const NamedColumn& column = layout_.all[node.column];
      const Delivery& delivery = parcel.delivery;
      const std::size_t rows = column.per_player ? delivery.player_rows : delivery.rows;
      const bool is_copied = rows < node.copied;
      return MakeArray(column, parcel.block, rows, is_copied ? py::object() : parcel.owner);
    }
    case Structure::kTuple: {
      py::tuple tuple(node.children);
      for (std::size_t i = 0; i < node.children; ++i) {
        PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i),
                         BuildNode(plan, next, parcel).release().ptr());
      }
      return tuple;
    }
    case Structure::kDict: break;
  }
  py::dict dict;
  for (std::size_t i = 0; i < node.children; ++i) {
    const py::str& key = plan[next].key;
    const py::object child = BuildNode(plan, next, parcel);
    if (PyDict_SetItem(dict.ptr(), key.ptr(), child.ptr()) < 0) throw py::error_already_set();
  }
  return dict;
}

py::object ResultBuilder::Build(const Parcel& parcel, bool is_reset) const {
  const bool has_final_row = !is_reset && layout_.config.final_rows && HasFinalRow(parcel);
  std::size_t next = 0;
  return BuildNode(is_reset ? reset_ : has_final_row ? final_step_ : step_, next, parcel);
}

std::size_t ResultBuilder::CopiedRows(const Column& column) const {
  if (layout_.bytes <= kMostKeptBytes || column.row_bytes > kMostCopiedBytes) return 0;
  const std::size_t row_bytes = std::max<std::size_t>(column.row_bytes, 1);
  return (layout_.bytes + kMostKeptTimes * row_bytes - 1) / (kMostKeptTimes * row_bytes);
}

bool ResultBuilder::HasFinalRow(const Parcel& parcel) const {
  const auto any = [&parcel](const Column& column) {
    const auto flags = column.At<bool>(parcel.block, 0, parcel.delivery.rows);
    return std::ranges::find(flags, true) != flags.end();
  };
  return any(layout_.terminated) || any(layout_.truncated);
}

}  // namespace envpool
