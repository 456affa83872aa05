#include "bindings/result_builder.h"

#include <algorithm>
#include <string>
#include <utility>

#include "bindings/numpy_bridge.h"

namespace envpool {

struct ResultBuilder::Source {
  std::byte* block;
  std::size_t rows;
  std::size_t player_rows;
  py::object owner;
};

ResultBuilder::ResultBuilder(const Layout& layout, const py::dict& plans)
    : layout_(layout), step_(Read(plans, "step")), reset_(Read(plans, "reset")) {
  if (layout.config.final_rows) final_step_ = Read(plans, "final_step");
}

ResultBuilder::Plan ResultBuilder::Read(const py::dict& plans, const char* name) const {
  if (!plans.contains(name)) {
    throw py::value_error(std::string("there is no plan for a ") + name);
  }
  Plan plan;
  AddNode(plan, py::str(), plans[name]);
  return plan;
}

void ResultBuilder::AddNode(Plan& plan, const py::str& key, py::handle tree) const {
  // Callers look entries up with interned strings: finding the very same one is quicker.
  PyObject* interned = key.inc_ref().ptr();
  PyUnicode_InternInPlace(&interned);
  Node node{.key = py::reinterpret_steal<py::str>(interned)};
  if (py::isinstance<py::str>(tree)) {
    node.column = layout_.IndexOf(py::cast<std::string>(tree));
    plan.push_back(node);
    return;
  }
  const bool is_dict = py::isinstance<py::dict>(tree);
  if (!is_dict && !py::isinstance<py::tuple>(tree)) {
    throw py::type_error("a plan has " + std::string(py::repr(tree)) +
                         ", expected a dict, a tuple or the name of a column");
  }
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
                                    const Source& source) const {
  const Node& node = plan[next++];
  switch (node.structure) {
    case Structure::kSingle: {
      const NamedColumn& column = layout_.all[node.column];
      return MakeArray(column, source.block, column.per_player ? source.player_rows : source.rows,
                       column.shape, source.owner);
    }
    case Structure::kTuple: {
      py::tuple tuple(node.children);
      for (std::size_t i = 0; i < node.children; ++i) {
        PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i),
                         BuildNode(plan, next, source).release().ptr());
      }
      return tuple;
    }
    case Structure::kDict: break;
  }
  py::dict dict;
  for (std::size_t i = 0; i < node.children; ++i) {
    const py::str& key = plan[next].key;
    const py::object child = BuildNode(plan, next, source);
    if (PyDict_SetItem(dict.ptr(), key.ptr(), child.ptr()) < 0) throw py::error_already_set();
  }
  return dict;
}

py::object ResultBuilder::Build(Delivery delivery, bool is_reset) const {
  std::byte* block = delivery.block.get();
  const Source source{block, delivery.rows, delivery.player_rows,
                      OwnerOf(std::move(delivery.block))};
  const bool has_final_row = !is_reset && layout_.config.final_rows && HasFinalRow(source);
  std::size_t next = 0;
  return BuildNode(is_reset ? reset_ : has_final_row ? final_step_ : step_, next, source);
}

bool ResultBuilder::HasFinalRow(const Source& source) const {
  const auto any = [&source](const Column& column) {
    const auto flags = column.At<bool>(source.block, 0, source.rows);
    return std::ranges::find(flags, true) != flags.end();
  };
  return any(layout_.terminated) || any(layout_.truncated);
}

}  // namespace envpool
