#include "minigrid/grid.h"

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

namespace envpool::minigrid {

Grid::Grid(Size size)
    : size_(size),
      cells_(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height)) {
  Clear();
}

void Grid::Clear() {
  std::ranges::fill(cells_, kNone);
  objects_.assign({{}, {.type = Type::kWall, .color = Color::kGrey}});
}

Handle Grid::Make(Type type, Color color, DoorState state) {
  if (objects_.size() > std::numeric_limits<Handle>::max()) {
    throw std::length_error("a grid cannot have more than 65536 objects");
  }
  objects_.push_back({.type = type, .color = color, .state = state});
  return static_cast<Handle>(objects_.size() - 1);
}

void Grid::Set(Point at, Handle handle) {
  if (!Contains(at)) {
    throw std::out_of_range("the cell (" + std::to_string(at.x) + ", " + std::to_string(at.y) +
                            ") is outside of a grid of " + std::to_string(size_.width) + " x " +
                            std::to_string(size_.height) + " cells");
  }
  cells_[Index(at)] = handle;
}

void Grid::Put(Point at, Handle handle) {
  Set(at, handle);
  objects_[handle].MoveTo(at);
}

void Grid::HorizontalWall(int x, int y, int length, Handle handle) {
  for (int i = 0; i < length; ++i) Set({x + i, y}, handle);
}

void Grid::VerticalWall(int x, int y, int length, Handle handle) {
  for (int j = 0; j < length; ++j) Set({x, y + j}, handle);
}

void Grid::WallRect(Point top, Size size) {
  HorizontalWall(top.x, top.y, size.width);
  HorizontalWall(top.x, top.y + size.height - 1, size.width);
  VerticalWall(top.x, top.y, size.height);
  VerticalWall(top.x + size.width - 1, top.y, size.height);
}

void Grid::Serialize(Archive& archive) {
  // A grid of another shape may have the same number of cells.
  int columns = Width();
  archive.Range(columns, columns, columns);
  archive(objects_);
  archive.Require(objects_.size() > kWall && objects_.size() <= std::size_t{1} << 16,
                  "a wrong number of objects");
  for (const Object& object : objects_) {
    archive.Require(object.contains < objects_.size(), "a box with an object that there is not");
  }
  archive.Index(std::span(cells_), objects_.size());
}

}  // namespace envpool::minigrid
