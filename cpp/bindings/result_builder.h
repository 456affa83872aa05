// ResultBuilder: turns a Delivery into the Python objects that a caller gets.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "executor/pool.h"

namespace envpool {

namespace py = pybind11;

// Which API the results are for.
enum class Flavour {
  kGymnasium,  // EnvPool's dialect of Gymnasium's vector API
  kVector,     // that API exactly: infos have only what the environments give
  kDm,
};

class ResultBuilder {
 public:
  ResultBuilder(const Spec& spec, const Layout& layout, Flavour flavour);

  // kGymnasium and kVector: (observation, reward, terminated, truncated, info), or (observation,
  // info) for a reset. If the layout has final rows and one is valid, there is a further entry
  // (final observation, final info). kDm: (step_type, reward, discount, observation), the
  // observation a dict of all keys.
  py::tuple Build(Delivery delivery, bool is_reset) const;

 private:
  // A tree of dicts and tuples with arrays as leaves.
  struct Node {
    Structure structure = Structure::kSingle;
    Column column;  // of a leaf
    std::vector<int> shape;
    std::vector<py::str> keys;  // of a dict
    std::vector<Node> children;

    // The child of this dict at a dotted path, made if there is none.
    Node& At(const std::string& path);
  };

  struct Source;

  static Node Leaf(const Column& column, std::vector<int> shape = {});
  Node IdTree(const Layout& layout) const;
  void AddInfos(Node& dict, const Spec& spec, const std::vector<Column>& columns,
                const Column& elapsed_step) const;
  static void AddLeaves(Node& dict, const std::vector<Field>& fields,
                        const std::vector<Column>& columns);
  static Node Tree(Structure structure, const std::vector<Field>& fields,
                   const std::vector<Column>& columns);
  bool HasFinalRow(const Source& source) const;
  static py::object BuildNode(const Node& node, const Source& source);

  const Flavour flavour_;
  const bool has_final_rows_;
  Node observation_;
  Node info_;
  Node final_observation_;
  Node final_info_;
  Node reward_;
  Node terminated_;
  Node truncated_;
  Node step_type_;
  Node discount_;
};

}  // namespace envpool
