// Layout: where every field of a batch lies in the batch's one block of memory.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/spec.h"
#include "envpool/views.h"

namespace envpool {

struct LayoutConfig {
  DType reward = DType::kFloat32;   // kFloat32 or kFloat64
  bool time_step = false;           // dm_env's step_type and discount
  bool episode_statistics = false;  // return and length of finished episodes
  bool final_rows = false;          // last observation and info of finished episodes
  bool tasks = false;               // of which kind the environments are
};

// A column as whoever reads batches knows it.
struct NamedColumn : Column {
  std::string name;
  std::vector<int> shape;  // of one row
};

// Names begin with what the column comes from: "obs." and a field of the observation, "info." and
// one of the infos, "final_obs." and "final_info." for those of finished episodes. What the
// executor itself writes begins with "@".
struct Layout {
  // A batch has room for `rows` environments with spec.max_num_players players each. Throws
  // std::invalid_argument if two fields have the same name.
  Layout(const Spec& spec, const LayoutConfig& config, std::size_t rows);

  // Where in `all` the column of this name is. Throws std::invalid_argument if there is none.
  std::size_t IndexOf(std::string_view name) const;

  LayoutConfig config;
  std::size_t max_players;

  std::vector<Column> observation;
  std::vector<Column> info;

  // What the executor itself writes.
  Column env_id;
  Column task;
  Column players_env_id;
  Column elapsed_step;
  Column reward;
  Column terminated;
  Column truncated;
  Column step_type;
  Column discount;
  Column player_count;  // only of environments for several players

  // Statistics of episodes, if they are wanted.
  struct Episode {
    Column returned;  // the sum of rewards
    Column length;
    Column done;
  };
  Episode episode;

  // Valid only in rows of finished episodes.
  struct Finals {
    std::vector<Column> observation;
    std::vector<Column> info;
    Column elapsed_step;
  };
  Finals finals;

  std::vector<NamedColumn> all;  // each column in use, once
  std::size_t bytes = 0;         // of a whole block

  // What the columns are called, also those of copies.
  std::shared_ptr<std::deque<std::string>> labels = std::make_shared<std::deque<std::string>>();
};

}  // namespace envpool
