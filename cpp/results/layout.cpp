#include "results/layout.h"

#include <algorithm>
#include <stdexcept>

#include "threads/machine.h"

namespace envpool {

namespace {

Field Common(std::string name, DType dtype) { return Box(std::move(name), dtype, {}); }

}  // namespace

Layout::Layout(const Spec& spec, const LayoutConfig& layout_config, std::size_t rows)
    : config(layout_config), max_players(static_cast<std::size_t>(spec.max_num_players)) {
  // Columns start on cache lines of their own, so that no two threads write to one for long.
  const auto add = [&](const Field& field, const char* prefix = "@",
                       const char* kind = "the pool's column") {
    const std::string name = prefix + field.name;
    if (std::ranges::find(all, name, &NamedColumn::name) != all.end()) {
      throw std::invalid_argument("there are two columns " + name);
    }
    const std::string& label = labels->emplace_back(std::string(kind) + " '" + field.name + "'");
    const Column column{bytes,       field.Bytes(),    field.Elements(),
                        field.dtype, field.per_player, label.c_str()};
    const std::size_t used = column.row_bytes * rows * (field.per_player ? max_players : 1);
    bytes += (used + kCacheLine - 1) / kCacheLine * kCacheLine;
    all.push_back({column, name, field.shape});
    return column;
  };
  const auto add_all = [&](const std::vector<Field>& fields, const char* prefix, const char* kind) {
    std::vector<Column> columns;
    for (const Field& field : fields) columns.push_back(add(field, prefix, kind));
    return columns;
  };
  observation = add_all(spec.observation, "obs.", "observation");
  info = add_all(spec.info, "info.", "info");
  env_id = add(Common("env_id", DType::kInt32));
  players_env_id = add(Common("players.env_id", DType::kInt32).PerPlayer());
  if (config.tasks) task = add(Common("task", DType::kInt32));
  elapsed_step = add(Common("elapsed_step", DType::kInt32));
  reward = add(Common("reward", config.reward).PerPlayer());
  terminated = add(Common("terminated", DType::kBool));
  truncated = add(Common("truncated", DType::kBool));
  if (config.time_step) {
    step_type = add(Common("step_type", DType::kInt32));
    discount = add(Common("discount", DType::kFloat32).PerPlayer());
  }
  if (config.episode_statistics) {
    episode.returned = add(Common("episode_return", DType::kFloat64));
    episode.length = add(Common("episode_length", DType::kInt64));
    episode.done = add(Common("episode_done", DType::kBool));
  }
  if (max_players > 1) player_count = add(Common("player_count", DType::kInt32));
  if (config.final_rows) {
    finals.observation = add_all(spec.observation, "final_obs.", "observation");
    finals.info = add_all(spec.info, "final_info.", "info");
    finals.elapsed_step = add(Common("final_elapsed_step", DType::kInt32));
  }
}

std::size_t Layout::IndexOf(std::string_view name) const {
  const auto found = std::ranges::find(all, name, &NamedColumn::name);
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  std::string known;
  for (const NamedColumn& column : all) known += (known.empty() ? "" : ", ") + column.name;
  throw std::invalid_argument("there is no column '" + std::string(name) + "', but " + known);
}

}  // namespace envpool
