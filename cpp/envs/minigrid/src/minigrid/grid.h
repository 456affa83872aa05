// Grid: the cells of a world and the objects in them, as minigrid/core/grid.py has it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "envpool/archive.h"
#include "minigrid/object.h"

namespace envpool::minigrid {

// The handle kNone is nothing, and kWall is the one grey wall that all cells share, because nobody
// tells walls apart.
inline constexpr Handle kNone = 0;
inline constexpr Handle kWall = 1;

// Objects live until the next Clear, wherever they are: in a cell, in a box, carried, or lost.
class Grid {
 public:
  explicit Grid(Size size);

  Size InCells() const { return size_; }
  int Width() const { return size_.width; }
  int Height() const { return size_.height; }
  bool Contains(Point at) const {
    return 0 <= at.x && at.x < size_.width && 0 <= at.y && at.y < size_.height;
  }

  // Removes all objects and empties all cells.
  void Clear();

  // Makes a new object that is nowhere yet. Throws std::length_error if there are too many.
  Handle Make(Type type, Color color, DoorState state = DoorState::kOpen);
  Handle Make(Thing thing) { return Make(thing.type, thing.color); }
  Handle MakeDoor(Color color, bool is_locked = false) {
    return Make(Type::kDoor, color, is_locked ? DoorState::kLocked : DoorState::kClosed);
  }
  Handle MakeGoal() { return Make(Type::kGoal, Color::kGreen); }
  Handle MakeLava() { return Make(Type::kLava, Color::kRed); }

  Object& operator[](Handle handle) { return objects_[handle]; }
  const Object& operator[](Handle handle) const { return objects_[handle]; }
  std::size_t Objects() const { return objects_.size(); }

  // Returns what is in a cell; beyond the border there are walls.
  Handle At(Point at) const { return Contains(at) ? cells_[Index(at)] : kWall; }
  // Returns all cells, row by row.
  std::span<const Handle> Cells() const { return cells_; }
  bool IsEmpty(Point at) const { return At(at) == kNone; }
  // Fills a cell. Throws std::out_of_range beyond the border.
  void Set(Point at, Handle handle);
  // Fills a cell, and tells the object where it is.
  void Put(Point at, Handle handle);

  // Fill a part of a row or column with one object, by default the wall.
  void HorizontalWall(int x, int y, int length, Handle handle = kWall);
  void VerticalWall(int x, int y, int length, Handle handle = kWall);
  // Builds walls along the border of a rectangle.
  void WallRect(Point top, Size size);

  void Serialize(Archive& archive);

 private:
  std::size_t Index(Point at) const {
    return static_cast<std::size_t>(at.y) * static_cast<std::size_t>(size_.width) +
           static_cast<std::size_t>(at.x);
  }

  const Size size_;
  std::vector<Handle> cells_;  // row by row
  std::vector<Object> objects_;
};

}  // namespace envpool::minigrid
