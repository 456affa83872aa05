// View: the part of a grid that its agent sees.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "minigrid/grid.h"

namespace envpool::minigrid {

// A Move is what an agent can do in a step; actions are these numbers.
enum class Move : std::int32_t { kLeft, kRight, kForward, kPickup, kDrop, kToggle, kDone };

inline constexpr int kLargestView = 63;  // a row is the bits of a number

// A Pose is where the agent is, into which direction it looks, and what it carries.
struct Pose {
  Point position = kNowhere;
  int direction = -1;  // into kDirections; -1: none yet
  Handle carrying = kNone;

  Point Ahead() const { return kDirections[static_cast<std::size_t>(direction)]; }
  Point Right() const { return {-Ahead().y, Ahead().x}; }
  Point Front() const { return position + Ahead(); }
};

// Rows have a number for each row of a view, whose bit i is column i.
using Rows = std::array<std::uint64_t, kLargestView>;

// Codes have what is in column i, row j of a view of `size` cells at [i * size + j]: see CodeOf.
using Codes = std::array<std::uint32_t, kLargestView * kLargestView>;

// Returns type, colour and state, from the lowest byte on.
constexpr std::uint32_t CodeOf(const Object& object) {
  return static_cast<std::uint32_t>(object.type) | static_cast<std::uint32_t>(object.color) << 8 |
         static_cast<std::uint32_t>(object.state) << 16;
}

// A Sight is what an agent sees. Only as much of it as there are cells has values.
struct Sight {
  Codes codes;   // 0 where nothing is seen; in the agent's cell, what it carries
  Rows visible;  // which cells are seen
};

// A View is a square of cells, turned so that the agent stands in the middle of its last row and
// looks up.
class View {
 public:
  // `size` is odd, from 3 to kLargestView.
  View(int size, bool sees_through_walls) : size_(size), sees_through_walls_(sees_through_walls) {}

  int Cells() const { return size_; }

  // Looks at the grid.
  Sight See(const Grid& grid, const Pose& pose) const;

  // Writes type, colour and state of the cell in column i, row j to image[(i * size + j) * 3].
  void Write(const Grid& grid, const Pose& pose, std::span<std::uint8_t> image) const;

  // Returns the grid's cell that is in column i, row j of the view.
  Point CellAt(const Pose& pose, int i, int j) const {
    return pose.position + pose.Ahead() * (size_ - 1 - j) + pose.Right() * (i - size_ / 2);
  }

 private:
  void Look(const Grid& grid, const Pose& pose, Codes& codes, Rows& opaque) const;
  void SweepRows(const Rows& opaque, Rows& visible) const;

  const int size_;
  const bool sees_through_walls_;
};

}  // namespace envpool::minigrid
