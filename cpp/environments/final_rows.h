// FinalRows: the last observation and info of each environment's last episode.
//
// When an episode ends and the next one starts in the same step, the environment is past its last
// observation by the time that its result gets a row. Until then it is kept here.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "envpool/env.h"
#include "results/layout.h"
#include "threads/machine.h"

namespace envpool {

class FinalRows {
 public:
  // Takes no memory unless the layout has final rows.
  FinalRows(const Layout& layout, std::size_t num_envs) {
    if (!layout.config.final_rows) return;
    observation_ = Pack(layout.observation);
    info_ = Pack(layout.info);
    memory_.resize(stride_ * num_envs);
  }

  void Observe(const Env& environment, std::size_t env) {
    environment.Observe(Row(observation_, info_, At(env), 0, 0, 1));
  }

  // Copies an environment's row to where `layout` has final rows in a batch.
  void CopyTo(const Layout& layout, std::byte* block, std::size_t row, std::size_t env) {
    Copy(observation_, layout.finals.observation, block, row, env);
    Copy(info_, layout.finals.info, block, row, env);
  }

 private:
  static constexpr std::size_t kAlignment = 8;

  // The same columns one after the other, for one row.
  std::vector<Column> Pack(std::vector<Column> columns) {
    for (Column& column : columns) {
      column.offset = stride_;
      stride_ += RoundUp(column.row_bytes, kAlignment);
    }
    return columns;
  }

  std::byte* At(std::size_t env) { return memory_.data() + env * stride_; }

  void Copy(std::span<const Column> from, std::span<const Column> to, std::byte* block,
            std::size_t row, std::size_t env) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      std::memcpy(block + to[i].offset + row * to[i].row_bytes, At(env) + from[i].offset,
                  from[i].row_bytes);
    }
  }

  std::vector<Column> observation_;
  std::vector<Column> info_;
  std::size_t stride_ = 0;
  std::vector<std::byte> memory_;
};

}  // namespace envpool
