#include "minigrid/view.h"

#include <algorithm>
#include <cstddef>

namespace envpool::minigrid {
namespace {

// The bits of `seeds`, and those of `open` that a row of open bits connects with one of them to the
// left or to the right.
std::uint64_t SpreadLeft(std::uint64_t seeds, std::uint64_t open) {
  for (int step = 1; step < 64; step *= 2) {
    seeds |= open & (seeds << step);
    open &= open << step;
  }
  return seeds;
}

std::uint64_t SpreadRight(std::uint64_t seeds, std::uint64_t open) {
  for (int step = 1; step < 64; step *= 2) {
    seeds |= open & (seeds >> step);
    open &= open >> step;
  }
  return seeds;
}

}  // namespace

// Light goes from a row to the next one, and within a row to both sides: first to higher columns,
// then, from all that is lit now, to lower ones. The last column of each direction lights nothing.
void View::SweepRows(Rows& opaque, Rows& visible) const {
  const std::uint64_t all = (std::uint64_t{1} << size_) - 1;
  const std::uint64_t not_last = all >> 1;
  const std::uint64_t not_first = all & ~std::uint64_t{1};
  std::uint64_t lit = std::uint64_t{1} << (size_ / 2);
  for (int j = size_ - 1; j >= 0; --j) {
    const std::uint64_t open = ~opaque[static_cast<std::size_t>(j)] & all;
    const std::uint64_t up_from = SpreadLeft(lit & open, open) & not_last;
    lit |= up_from | up_from << 1;
    const std::uint64_t down_from = SpreadRight(lit & open, open) & not_first;
    lit |= down_from | down_from >> 1;
    visible[static_cast<std::size_t>(j)] = lit;
    lit = up_from | up_from << 1 | down_from | down_from >> 1;
  }
}

void View::FindVisible(const Grid& grid, const Pose& pose, Rows& visible) const {
  if (sees_through_walls_) {
    std::ranges::fill(visible, ~std::uint64_t{0});
    return;
  }
  Rows opaque;
  for (int j = 0; j < size_; ++j) {
    std::uint64_t row = 0;
    for (int i = 0; i < size_; ++i) {
      const bool is_open = grid[grid.At(CellAt(pose, i, j))].SeeBehind();
      row |= std::uint64_t{!is_open} << i;
    }
    opaque[static_cast<std::size_t>(j)] = row;
  }
  SweepRows(opaque, visible);
}

void View::Write(const Grid& grid, const Pose& pose, std::span<std::uint8_t> image) const {
  Rows visible;
  FindVisible(grid, pose, visible);
  std::uint8_t* out = image.data();
  const auto write = [&](const Object& object, bool is_visible) {
    const std::array<std::uint8_t, 3> code = {static_cast<std::uint8_t>(object.type),
                                              static_cast<std::uint8_t>(object.color),
                                              static_cast<std::uint8_t>(object.state)};
    const auto mask = static_cast<std::uint8_t>(-int{is_visible});
    for (const std::uint8_t number : code) *out++ = number & mask;
  };
  for (int i = 0; i < size_; ++i) {
    for (int j = 0; j < size_; ++j) {
      const bool is_agent = i == size_ / 2 && j == size_ - 1;
      const Handle handle = is_agent ? pose.carrying : grid.At(CellAt(pose, i, j));
      write(grid[handle], visible[static_cast<std::size_t>(j)] >> i & 1);
    }
  }
}

}  // namespace envpool::minigrid
