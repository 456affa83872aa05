#include "minigrid/view.h"

#include <algorithm>
#include <cstddef>

namespace envpool::minigrid {
namespace {

// Both return the bits of `seeds`, and those of `open` that open bits connect with one of them from
// the right or from the left, within `size` bits.
std::uint64_t SpreadLeft(std::uint64_t seeds, std::uint64_t open, int size) {
  for (int step = 1; step < size; step *= 2) {
    seeds |= open & (seeds << step);
    open &= open << step;
  }
  return seeds;
}

std::uint64_t SpreadRight(std::uint64_t seeds, std::uint64_t open, int size) {
  for (int step = 1; step < size; step *= 2) {
    seeds |= open & (seeds >> step);
    open &= open >> step;
  }
  return seeds;
}

// A Range is those of `count` numbers, which begin with `start` and go up or down, that are cells.
struct Range {
  Range(int start, int step, int cells, int count)
      : begin(std::clamp(step > 0 ? -start : start - (cells - 1), 0, count)),
        end(std::clamp(step > 0 ? cells - start : start + 1, begin, count)) {}

  int begin;
  int end;
};

}  // namespace

// Light goes from a row to the next one, and within a row to both sides: first to higher columns,
// then, from all that is lit now, to lower ones. The last column of each direction lights nothing.
void View::SweepRows(const Rows& opaque, Rows& visible) const {
  const std::uint64_t all = (std::uint64_t{1} << size_) - 1;
  const std::uint64_t not_last = all >> 1;
  const std::uint64_t not_first = all & ~std::uint64_t{1};
  std::uint64_t lit = std::uint64_t{1} << (size_ / 2);
  for (int j = size_ - 1; j >= 0; --j) {
    const std::uint64_t open = ~opaque[static_cast<std::size_t>(j)] & all;
    const std::uint64_t up_from = SpreadLeft(lit & open, open, size_) & not_last;
    lit |= up_from | up_from << 1;
    const std::uint64_t down_from = SpreadRight(lit & open, open, size_) & not_first;
    lit |= down_from | down_from >> 1;
    visible[static_cast<std::size_t>(j)] = lit;
    lit = up_from | up_from << 1 | down_from | down_from >> 1;
  }
}

// Columns and rows of the view are rows and columns of the grid where the agent looks to a side.
void View::Look(const Grid& grid, const Pose& pose, Codes& codes, Rows& opaque) const {
  const Point first = CellAt(pose, 0, 0);
  const Point right = pose.Right();
  const Point down = Point{0, 0} - pose.Ahead();
  const bool is_turned = right.x == 0;
  const Range columns = is_turned ? Range(first.y, right.y, grid.Height(), size_)
                                  : Range(first.x, right.x, grid.Width(), size_);
  const Range rows = is_turned ? Range(first.x, down.x, grid.Width(), size_)
                               : Range(first.y, down.y, grid.Height(), size_);
  const std::span<const Handle> cells = grid.Cells();
  const auto index = [&grid](Point at) { return at.y * grid.Width() + at.x; };
  std::fill_n(codes.begin(), size_ * size_, CodeOf(grid[kWall]));
  std::fill_n(opaque.begin(), size_, ~std::uint64_t{0});
  for (int j = rows.begin; j < rows.end; ++j) {
    int cell = index(first + down * j + right * columns.begin);
    std::uint64_t& row = opaque[static_cast<std::size_t>(j)];
    for (int i = columns.begin; i < columns.end; ++i, cell += index(right)) {
      const Object& object = grid[cells[static_cast<std::size_t>(cell)]];
      row ^= std::uint64_t{object.SeeBehind()} << i;
      codes[static_cast<std::size_t>(i * size_ + j)] = CodeOf(object);
    }
  }
}

Sight View::See(const Grid& grid, const Pose& pose) const {
  Sight sight;
  Rows opaque;
  Look(grid, pose, sight.codes, opaque);
  if (sees_through_walls_) {
    std::fill_n(sight.visible.begin(), size_, ~std::uint64_t{0});
  } else {
    SweepRows(opaque, sight.visible);
  }
  std::uint32_t* code = sight.codes.data();
  for (int i = 0; i < size_; ++i) {
    for (int j = 0; j < size_; ++j, ++code) {
      const bool is_visible = sight.visible[static_cast<std::size_t>(j)] >> i & 1;
      *code = is_visible ? *code : 0;
    }
  }
  sight.codes[static_cast<std::size_t>(size_ / 2 * size_ + size_ - 1)] =
      CodeOf(grid[pose.carrying]);
  return sight;
}

void View::Write(const Grid& grid, const Pose& pose, std::span<std::uint8_t> image) const {
  const Sight sight = See(grid, pose);
  const std::uint32_t* code = sight.codes.data();
  for (std::size_t k = 0; k < image.size(); k += 3, ++code) {
    image[k] = static_cast<std::uint8_t>(*code);
    image[k + 1] = static_cast<std::uint8_t>(*code >> 8);
    image[k + 2] = static_cast<std::uint8_t>(*code >> 16);
  }
}

}  // namespace envpool::minigrid
