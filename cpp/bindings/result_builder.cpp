#include "bindings/result_builder.h"

#include <utility>

#include "bindings/numpy_bridge.h"

namespace envpool {

struct ResultBuilder::Source {
  std::byte* block;
  std::size_t rows;
  std::size_t player_rows;
  py::object owner;
};

ResultBuilder::Node& ResultBuilder::Node::At(const std::string& path) {
  structure = Structure::kDict;
  const std::size_t dot = path.find('.');
  const std::string key = path.substr(0, dot);
  std::size_t i = 0;
  while (i < keys.size() && std::string(keys[i]) != key) ++i;
  if (i == keys.size()) {
    keys.emplace_back(key);
    children.emplace_back();
  }
  return dot == std::string::npos ? children[i] : children[i].At(path.substr(dot + 1));
}

ResultBuilder::Node ResultBuilder::Leaf(const Column& column, std::vector<int> shape) {
  Node node;
  node.column = column;
  node.shape = std::move(shape);
  return node;
}

ResultBuilder::Node ResultBuilder::Tree(Structure structure, const std::vector<Field>& fields,
                                        const std::vector<Column>& columns) {
  if (structure == Structure::kSingle) return Leaf(columns.at(0), fields.at(0).shape);
  Node node;
  node.structure = structure;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Node leaf = Leaf(columns[i], fields[i].shape);
    if (structure == Structure::kTuple) {
      node.children.push_back(std::move(leaf));
    } else {
      node.At(fields[i].name) = std::move(leaf);
    }
  }
  return node;
}

ResultBuilder::ResultBuilder(const Spec& spec, const Layout& layout, Flavour flavour)
    : flavour_(flavour),
      reward_(Leaf(layout.reward)),
      terminated_(Leaf(layout.terminated)),
      truncated_(Leaf(layout.truncated)),
      step_type_(Leaf(layout.step_type)),
      discount_(Leaf(layout.discount)) {
  Node common;
  common.At("env_id") = Leaf(layout.env_id);
  common.At("players.env_id") = Leaf(layout.players_env_id);
  if (flavour == Flavour::kDm) {
    observation_ = std::move(common);
    for (std::size_t i = 0; i < spec.observation.size(); ++i) {
      observation_.At(spec.observation[i].name) =
          Leaf(layout.observation[i], spec.observation[i].shape);
    }
  } else {
    observation_ = Tree(spec.observation_structure, spec.observation, layout.observation);
    info_ = std::move(common);
  }
  Node& info = flavour == Flavour::kDm ? observation_ : info_;
  for (std::size_t i = 0; i < spec.info.size(); ++i) {
    info.At(spec.info[i].name) = Leaf(layout.info[i], spec.info[i].shape);
  }
  if (flavour == Flavour::kGymnasium) info.At("elapsed_step") = Leaf(layout.elapsed_step);
  if (layout.config.episode_statistics) {
    info.At("episode.r") = Leaf(layout.episode_return);
    info.At("episode.l") = Leaf(layout.episode_length);
    info.At("_episode") = Leaf(layout.episode_done);
  }
}

py::object ResultBuilder::BuildNode(const Node& node, const Source& source) {
  switch (node.structure) {
    case Structure::kSingle:
      return MakeArray(node.column, source.block,
                       node.column.per_player ? source.player_rows : source.rows, node.shape,
                       source.owner);
    case Structure::kTuple: {
      py::tuple tuple(node.children.size());
      for (std::size_t i = 0; i < node.children.size(); ++i) {
        tuple[i] = BuildNode(node.children[i], source);
      }
      return tuple;
    }
    case Structure::kDict: break;
  }
  py::dict dict;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const py::object child = BuildNode(node.children[i], source);
    if (PyDict_SetItem(dict.ptr(), node.keys[i].ptr(), child.ptr()) < 0) {
      throw py::error_already_set();
    }
  }
  return dict;
}

py::tuple ResultBuilder::Build(Delivery delivery, bool is_reset) const {
  std::byte* block = delivery.block.get();
  const Source source{block, delivery.rows, delivery.player_rows,
                      OwnerOf(std::move(delivery.block))};
  const auto build = [&source](const Node& node) { return BuildNode(node, source); };
  if (flavour_ == Flavour::kDm) {
    return py::make_tuple(build(step_type_), build(reward_), build(discount_), build(observation_));
  }
  if (is_reset) return py::make_tuple(build(observation_), build(info_));
  return py::make_tuple(build(observation_), build(reward_), build(terminated_), build(truncated_),
                        build(info_));
}

}  // namespace envpool
