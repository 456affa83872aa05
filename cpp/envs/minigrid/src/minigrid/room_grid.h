// RoomGrid: a grid of rooms, with doors between them, as minigrid/core/roomgrid.py has it.
//
// A level's Generate calls RoomGrid::Generate first.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "minigrid/grid_world.h"

namespace envpool::minigrid {

// A Layout is of rooms of the same size, each of which shares its walls with its neighbours.
struct Layout {
  int room_size = 7;  // walls included
  int rows = 3;
  int columns = 3;

  Size InCells() const { return {(room_size - 1) * columns + 1, (room_size - 1) * rows + 1}; }
};

// kRemoved stands in the place of a door where a wall was removed.
inline constexpr Handle kRemoved = kWall;

// Walls are counted as directions are: right, down, left, up.
struct Room {
  Point top;
  Size size;
  std::array<Handle, 4> doors = {};  // kNone, a door or kRemoved
  std::array<Point, 4> door_pos = {kNowhere, kNowhere, kNowhere, kNowhere};
  std::array<Room*, 4> neighbors = {};
  bool locked = false;  // true if its newest door is locked
  std::vector<Handle> objs = {};

  Area Cells() const { return {top, size}; }
  bool PosInside(Point at) const {
    return top.x <= at.x && at.x < top.x + size.width && top.y <= at.y &&
           at.y < top.y + size.height;
  }
};

class RoomGrid : public GridWorld {
 public:
  void Generate() override;

 protected:
  RoomGrid(const Options& options, Layout layout, int max_steps)
      : GridWorld(options, layout.InCells(), max_steps), layout_(layout) {}

  // Returns the room in column i, row j. Throws std::out_of_range if there is none.
  Room& GetRoom(int i, int j);
  Room& RoomFromPos(Point at) {
    return GetRoom(at.x / (layout_.room_size - 1), at.y / (layout_.room_size - 1));
  }

  // Puts an object into a room, not right beside the agent. Throws Rejected if it finds no cell.
  void PlaceInRoom(int i, int j, Handle object);

  // Adds a new object to a room, and draws what is left out of it.
  Handle AddObject(int i, int j, std::optional<Type> type = {}, std::optional<Color> color = {});
  Handle AddObject(int i, int j, Thing thing) { return AddObject(i, j, thing.type, thing.color); }

  // Adds a door to a neighbour, and draws what is left out of it.
  Handle AddDoor(int i, int j, std::optional<int> wall = {}, std::optional<Color> color = {},
                 std::optional<bool> is_locked = {});

  void RemoveWall(int i, int j, int wall);

  // Places the agent somewhere in a room, with nothing but a wall right in front of it. Throws
  // Rejected if there is no such place.
  void PlaceAgentInRoom(std::optional<int> i = {}, std::optional<int> j = {});

  // Adds doors until the agent could come to all rooms. Throws Rejected if that does not succeed.
  void ConnectAll(std::span<const Color> colors = kColors);

  // Adds objects, in one room or in random ones, each unlike all others if they are unique.
  std::vector<Handle> AddDistractors(std::optional<int> i, std::optional<int> j, int count,
                                     bool all_unique = true);

  const Layout layout_;

 private:
  void MakeRooms();
  void DrawDoors(int i, int j);
  int CountReachable();

  std::vector<Room> rooms_;
};

}  // namespace envpool::minigrid
