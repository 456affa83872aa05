// Map: a grid that somebody has written as text, two characters to a cell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "minigrid/grid.h"
#include "minigrid/view.h"

namespace envpool::minigrid {

// Cells are written as minigrid prints them, with letters for what it leaves open: an open door's
// colour, and grey, which is its G as green is. A row of the text is a row of cells.
class Map {
 public:
  // Reads a map. Throws std::invalid_argument if this is no map.
  explicit Map(const std::vector<std::string>& rows);

  // Returns a map's size. Throws in the same way, but looks at no single cells.
  static Size SizeOf(const std::vector<std::string>& rows);

  // Puts what is on the map into an empty grid of its size; returns where the agent begins.
  Pose PlaceIn(Grid& grid) const;

 private:
  void Read(Point at, std::string_view pair);

  const Size size_;
  std::vector<Object> objects_;  // with their cells; none for walls
  std::vector<Point> walls_;
  Pose start_;
};

}  // namespace envpool::minigrid
