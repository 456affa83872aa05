#include "bindings/result_builder.h"

#include <algorithm>
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
      has_final_rows_(layout.config.final_rows),
      info_(IdTree(layout)),
      reward_(Leaf(layout.reward)),
      terminated_(Leaf(layout.terminated)),
      truncated_(Leaf(layout.truncated)),
      step_type_(Leaf(layout.step_type)),
      discount_(Leaf(layout.discount)) {
  if (flavour == Flavour::kDm) {
    // dm_env has no infos: there they are a part of the observation.
    AddLeaves(info_, spec.observation, layout.observation);
  } else {
    observation_ = Tree(spec.observation_structure, spec.observation, layout.observation);
  }
  AddInfos(info_, spec, layout.info, layout.elapsed_step);
  // Gymnasium's own API has no elapsed_step: there it only tells resets from steps.
  const auto is_other_at_reset = [](const Field& field) {
    return field.presence == Presence::kSteps || field.integer_at_reset;
  };
  if (flavour == Flavour::kVector && std::ranges::any_of(spec.info, is_other_at_reset)) {
    info_.At("elapsed_step") = Leaf(layout.elapsed_step);
  }
  if (has_final_rows_) {
    final_observation_ =
        Tree(spec.observation_structure, spec.observation, layout.final_observation);
    final_info_.structure = Structure::kDict;
    AddInfos(final_info_, spec, layout.final_info, layout.final_elapsed_step);
  }
  if (layout.config.episode_statistics) {
    info_.At("episode.r") = Leaf(layout.episode_return);
    info_.At("episode.l") = Leaf(layout.episode_length);
    // No field of a named tuple begins with an underscore.
    info_.At(flavour == Flavour::kDm ? "episode.done" : "_episode") = Leaf(layout.episode_done);
  }
}

// Whose rows these are, which only Gymnasium's own API does not tell.
ResultBuilder::Node ResultBuilder::IdTree(const Layout& layout) const {
  Node ids;
  ids.structure = Structure::kDict;
  if (flavour_ != Flavour::kVector) {
    ids.At("env_id") = Leaf(layout.env_id);
    ids.At("players.env_id") = Leaf(layout.players_env_id);
  }
  return ids;
}

void ResultBuilder::AddInfos(Node& dict, const Spec& spec, const std::vector<Column>& columns,
                             const Column& elapsed_step) const {
  const bool is_dialect = flavour_ != Flavour::kVector;
  for (std::size_t i = 0; i < spec.info.size(); ++i) {
    const Field& field = spec.info[i];
    if (is_dialect ? IsGymnasiumOnly(field) : field.presence == Presence::kDialect) continue;
    dict.At(field.name) = Leaf(columns[i], field.shape);
    if (!is_dialect) continue;
    for (const std::string& alias : field.aliases) dict.At(alias) = Leaf(columns[i], field.shape);
  }
  if (flavour_ == Flavour::kGymnasium) dict.At("elapsed_step") = Leaf(elapsed_step);
}

void ResultBuilder::AddLeaves(Node& dict, const std::vector<Field>& fields,
                              const std::vector<Column>& columns) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    dict.At(fields[i].name) = Leaf(columns[i], fields[i].shape);
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
    return py::make_tuple(build(step_type_), build(reward_), build(discount_), build(info_));
  }
  if (is_reset) return py::make_tuple(build(observation_), build(info_));
  if (has_final_rows_ && HasFinalRow(source)) {
    return py::make_tuple(build(observation_), build(reward_), build(terminated_),
                          build(truncated_), build(info_),
                          py::make_tuple(build(final_observation_), build(final_info_)));
  }
  return py::make_tuple(build(observation_), build(reward_), build(terminated_), build(truncated_),
                        build(info_));
}

bool ResultBuilder::HasFinalRow(const Source& source) const {
  const auto any = [&source](const Node& node) {
    const auto flags = node.column.At<bool>(source.block, 0, source.rows);
    return std::ranges::find(flags, true) != flags.end();
  };
  return any(terminated_) || any(truncated_);
}

}  // namespace envpool
