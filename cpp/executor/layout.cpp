#include "executor/layout.h"

#include "executor/cache_line.h"

namespace envpool {

namespace {

Field Common(DType dtype, bool per_player = false) {
  Field field = Box("", dtype, {});
  field.per_player = per_player;
  return field;
}

}  // namespace

Layout::Layout(const Spec& spec, const LayoutConfig& layout_config, std::size_t rows)
    : config(layout_config), max_players(static_cast<std::size_t>(spec.max_num_players)) {
  // Columns start on cache lines of their own, so that no two threads write to one for long.
  const auto add = [&](const Field& field) {
    Column column{bytes, field.Bytes(), field.Elements(), field.dtype, field.per_player};
    const std::size_t used = column.row_bytes * rows * (field.per_player ? max_players : 1);
    bytes += (used + kCacheLine - 1) / kCacheLine * kCacheLine;
    all.push_back(column);
    return column;
  };
  for (const Field& field : spec.observation) observation.push_back(add(field));
  for (const Field& field : spec.info) info.push_back(add(field));
  env_id = add(Common(DType::kInt32));
  players_env_id = add(Common(DType::kInt32, true));
  elapsed_step = add(Common(DType::kInt32));
  reward = add(Common(config.reward, true));
  terminated = add(Common(DType::kBool));
  truncated = add(Common(DType::kBool));
  if (config.time_step) {
    step_type = add(Common(DType::kInt32));
    discount = add(Common(DType::kFloat32, true));
  }
  if (config.episode_statistics) {
    episode_return = add(Common(DType::kFloat64));
    episode_length = add(Common(DType::kInt64));
    episode_done = add(Common(DType::kBool));
  }
  if (max_players > 1) player_count = add(Common(DType::kInt32));
  if (config.final_rows) {
    for (const Field& field : spec.observation) final_observation.push_back(add(field));
    for (const Field& field : spec.info) final_info.push_back(add(field));
    final_elapsed_step = add(Common(DType::kInt32));
  }
}

}  // namespace envpool
