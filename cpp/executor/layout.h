// Layout: where every field of a batch lies in the batch's one block of memory.
#pragma once

#include <cstddef>
#include <vector>

#include "envpool/spec.h"
#include "envpool/views.h"

namespace envpool {

struct LayoutConfig {
  DType reward = DType::kFloat32;   // kFloat32 or kFloat64
  bool time_step = false;           // dm_env's step_type and discount
  bool episode_statistics = false;  // return and length of finished episodes
  bool final_rows = false;          // last observation and info of finished episodes
};

struct Layout {
  // A batch has room for `rows` environments with spec.max_num_players players each.
  Layout(const Spec& spec, const LayoutConfig& config, std::size_t rows);

  LayoutConfig config;
  std::size_t max_players;

  std::vector<Column> observation;
  std::vector<Column> info;

  // What the executor itself writes.
  Column env_id;
  Column players_env_id;
  Column elapsed_step;
  Column reward;
  Column terminated;
  Column truncated;
  Column step_type;
  Column discount;
  Column episode_return;
  Column episode_length;
  Column episode_done;
  Column player_count;  // only of environments for several players

  // Valid only in rows of finished episodes.
  std::vector<Column> final_observation;
  std::vector<Column> final_info;
  Column final_elapsed_step;

  std::vector<Column> all;  // each column in use, once
  std::size_t bytes = 0;    // of a whole block
};

}  // namespace envpool
