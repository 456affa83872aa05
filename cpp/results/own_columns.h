// OwnColumns: the columns that the executor itself writes, whatever the environments.
//
// A new one is a member here with a row in the table, the line in environments/results.cpp that
// writes it, and a row in python/envpool/spec/plans.py that says which APIs show it.
#pragma once

#include <vector>

#include "envpool/field.h"
#include "envpool/views.h"

namespace envpool {

struct LayoutConfig {
  DType reward = DType::kFloat32;   // kFloat32 or kFloat64
  bool time_step = false;           // dm_env's step_type and discount
  bool episode_statistics = false;  // return and length of finished episodes
  bool final_rows = false;          // last observation and info of finished episodes
  bool tasks = false;               // of which kind the environments are
  bool several_players = false;     // a Layout sets this by the spec
};

struct OwnColumns {
  Column env_id;
  Column players_env_id;
  Column task;
  Column elapsed_step;
  Column reward;
  Column terminated;
  Column truncated;
  Column step_type;
  Column discount;
  Column episode_return;  // the sum of rewards
  Column episode_length;
  Column episode_done;
  Column final_elapsed_step;  // valid only in rows of finished episodes
  Column player_count;
};

// A row of the table. In a Layout, names begin with "@".
struct OwnColumn {
  Column OwnColumns::* column;
  Field field;                             // the reward has the type that the layout's config says
  bool LayoutConfig::* only_if = nullptr;  // null: all layouts have it
  bool is_info = false;  // results show it among the infos, so environments have none of that name
};

inline const std::vector<OwnColumn>& OwnColumnTable() {
  constexpr bool LayoutConfig::* kAlways = nullptr;
  constexpr DType kInt32 = DType::kInt32;
  using Own = OwnColumns;
  using If = LayoutConfig;
  static const std::vector<OwnColumn> kTable{
      {&Own::env_id, Box("env_id", kInt32, {}), kAlways, true},
      {&Own::players_env_id, Box("players.env_id", kInt32, {}).PerPlayer(), kAlways, true},
      {&Own::task, Box("task", kInt32, {}), &If::tasks},
      {&Own::elapsed_step, Box("elapsed_step", kInt32, {}), kAlways, true},
      {&Own::reward, Box("reward", DType::kFloat32, {}).PerPlayer()},
      {&Own::terminated, Box("terminated", DType::kBool, {})},
      {&Own::truncated, Box("truncated", DType::kBool, {})},
      {&Own::step_type, Box("step_type", kInt32, {}), &If::time_step},
      {&Own::discount, Box("discount", DType::kFloat32, {}, {0}, {1}).PerPlayer(), &If::time_step},
      {&Own::episode_return, Box("episode_return", DType::kFloat64, {}), &If::episode_statistics},
      {&Own::episode_length, Box("episode_length", DType::kInt64, {}), &If::episode_statistics},
      {&Own::episode_done, Box("episode_done", DType::kBool, {}), &If::episode_statistics},
      {&Own::final_elapsed_step, Box("final_elapsed_step", kInt32, {}), &If::final_rows},
      {&Own::player_count, Box("player_count", kInt32, {}), &If::several_players},
  };
  return kTable;
}

}  // namespace envpool
