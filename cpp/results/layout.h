// Layout: where every field of a batch lies in the batch's one block of memory.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/spec.h"
#include "results/own_columns.h"

namespace envpool {

// A column as whoever reads batches knows it.
struct NamedColumn : Column {
  std::string name;
  std::vector<int> shape;  // of one row
};

// Names begin with what the column comes from: "obs." and a field of the observation, "info." and
// one of the infos, "final_obs." and "final_info." for those of finished episodes. What the
// executor itself writes begins with "@".
struct Layout : OwnColumns {
  // A batch has room for `rows` environments with spec.max_num_players players each. Throws
  // std::invalid_argument if two fields have the same name.
  Layout(const Spec& spec, const LayoutConfig& config, std::size_t rows);

  // Where in `all` the column of this name is. Throws std::invalid_argument if there is none.
  std::size_t IndexOf(std::string_view name) const;

  LayoutConfig config;
  std::size_t max_players;

  std::vector<Column> observation;
  std::vector<Column> info;

  // Valid only in rows of finished episodes.
  struct Finals {
    std::vector<Column> observation;
    std::vector<Column> info;
  };
  Finals finals;

  std::vector<NamedColumn> all;  // each column in use, once
  std::size_t bytes = 0;         // of a whole block

  // What the columns are called, also those of copies.
  std::shared_ptr<std::deque<std::string>> labels = std::make_shared<std::deque<std::string>>();
};

}  // namespace envpool
