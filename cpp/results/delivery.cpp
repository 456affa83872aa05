#include "results/delivery.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace envpool {

namespace {

// Moves one environment's row, and those of its players, from one place to another before it.
void MoveRow(const Layout& layout, std::byte* block, std::size_t from, std::size_t to,
             std::size_t to_player, std::size_t players) {
  for (const Column& column : layout.all) {
    std::byte* data = block + column.offset;
    const std::size_t source = column.per_player ? from * layout.max_players : from;
    const std::size_t target = column.per_player ? to_player : to;
    if (source == target) continue;  // nobody before it is absent
    const std::size_t count = column.per_player ? players : 1;
    std::memmove(data + target * column.row_bytes, data + source * column.row_bytes,
                 count * column.row_bytes);
  }
}

}  // namespace

void Delivery::CloseGaps(const Layout& layout) {
  player_rows = rows;
  if (errors.empty() && layout.max_players == 1) return;
  std::ranges::sort(errors, {}, &EnvError::row);
  for (EnvError& one : survived) {
    one.row -= static_cast<std::size_t>(
        std::ranges::lower_bound(errors, one.row, {}, &EnvError::row) - errors.begin());
  }
  auto error = errors.begin();
  std::size_t kept = 0;
  player_rows = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (error != errors.end() && error->row == row) {
      ++error;
      continue;
    }
    std::size_t players = 1;
    if (layout.max_players > 1) {
      players =
          static_cast<std::size_t>(layout.player_count.At<std::int32_t>(block.get(), row, 1)[0]);
    }
    MoveRow(layout, block.get(), row, kept, player_rows, players);
    ++kept;
    player_rows += players;
  }
  rows = kept;
}

}  // namespace envpool
