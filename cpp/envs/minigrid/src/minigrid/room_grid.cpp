#include "minigrid/room_grid.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace envpool::minigrid {

Room& RoomGrid::GetRoom(int i, int j) {
  if (i < 0 || i >= layout_.columns || j < 0 || j >= layout_.rows) {
    throw std::out_of_range("there is no room in column " + std::to_string(i) + ", row " +
                            std::to_string(j));
  }
  return rooms_[static_cast<std::size_t>(j * layout_.columns + i)];
}

void RoomGrid::Generate() {
  grid_.Clear();
  MakeRooms();
  for (int j = 0; j < layout_.rows; ++j) {
    for (int i = 0; i < layout_.columns; ++i) DrawDoors(i, j);
  }
  const int step = layout_.room_size - 1;
  const int middle = layout_.room_size / 2;
  agent_.position = {layout_.columns / 2 * step + middle, layout_.rows / 2 * step + middle};
  agent_.direction = 0;
}

void RoomGrid::MakeRooms() {
  rooms_.clear();
  const int size = layout_.room_size;
  for (int j = 0; j < layout_.rows; ++j) {
    for (int i = 0; i < layout_.columns; ++i) {
      rooms_.push_back({.top = {i * (size - 1), j * (size - 1)}, .size = {size, size}});
      grid_.WallRect(rooms_.back().top, rooms_.back().size);
    }
  }
}

// Doors to the right and down are drawn, the others are those of the neighbours.
void RoomGrid::DrawDoors(int i, int j) {
  Room& room = GetRoom(i, j);
  const Point least = room.top + Point{1, 1};
  const Point wall = room.top + Point{room.size.width - 1, room.size.height - 1};
  if (i < layout_.columns - 1) {
    room.neighbors[0] = &GetRoom(i + 1, j);
    room.door_pos[0] = {wall.x, RandInt(least.y, wall.y)};
  }
  if (j < layout_.rows - 1) {
    room.neighbors[1] = &GetRoom(i, j + 1);
    room.door_pos[1] = {RandInt(least.x, wall.x), wall.y};
  }
  if (i > 0) {
    room.neighbors[2] = &GetRoom(i - 1, j);
    room.door_pos[2] = room.neighbors[2]->door_pos[0];
  }
  if (j > 0) {
    room.neighbors[3] = &GetRoom(i, j - 1);
    room.door_pos[3] = room.neighbors[3]->door_pos[1];
  }
}

void RoomGrid::PlaceInRoom(int i, int j, Handle object) {
  Room& room = GetRoom(i, j);
  const auto is_near = [this](Point at) {
    const Point way = agent_.position - at;
    return std::abs(way.x) + std::abs(way.y) < 2;
  };
  PlaceObj(object, room.Cells(), is_near, 1000);
  room.objs.push_back(object);
}

Handle RoomGrid::AddObject(int i, int j, std::optional<Type> type, std::optional<Color> color) {
  if (!type) type = RandElem(kThings);
  if (!color) color = RandColor();
  const Handle object = grid_.Make(*type, *color);
  PlaceInRoom(i, j, object);
  return object;
}

Handle RoomGrid::AddDoor(int i, int j, std::optional<int> wall, std::optional<Color> color,
                         std::optional<bool> is_locked) {
  Room& room = GetRoom(i, j);
  const auto is_free = [&room](int side) {
    const auto index = static_cast<std::size_t>(side);
    return room.neighbors[index] != nullptr && room.doors[index] == kNone;
  };
  for (int tries = 0; !wall; ++tries) {
    if (tries > kEndless) throw std::runtime_error("a room has no wall left for another door");
    if (const int drawn = RandInt(0, 4); is_free(drawn)) wall = drawn;
  }
  if (!color) color = RandColor();
  if (!is_locked) is_locked = RandBool();
  if (!is_free(*wall)) throw std::logic_error("a room has a door there, or no neighbour");

  const auto side = static_cast<std::size_t>(*wall);
  room.locked = *is_locked;
  const Handle door = grid_.MakeDoor(*color, *is_locked);
  grid_.Put(room.door_pos[side], door);
  room.doors[side] = door;
  room.neighbors[side]->doors[(side + 2) % 4] = door;
  return door;
}

void RoomGrid::RemoveWall(int i, int j, int wall) {
  Room& room = GetRoom(i, j);
  const auto side = static_cast<std::size_t>(wall);
  if (room.doors[side] != kNone || room.neighbors[side] == nullptr) {
    throw std::logic_error("a wall to be removed has a door, or no room behind it");
  }
  const Point last = {room.size.width - 1, room.size.height - 1};
  const Point first = room.top + Point{wall == 0 ? last.x : 0, wall == 1 ? last.y : 0};
  if (wall % 2 == 0) {
    grid_.VerticalWall(first.x, first.y + 1, last.y - 1, kNone);
  } else {
    grid_.HorizontalWall(first.x + 1, first.y, last.x - 1, kNone);
  }
  room.doors[side] = kRemoved;
  room.neighbors[side]->doors[(side + 2) % 4] = kRemoved;
}

void RoomGrid::PlaceAgentInRoom(std::optional<int> i, std::optional<int> j) {
  if (!i) i = RandInt(0, layout_.columns);
  if (!j) j = RandInt(0, layout_.rows);
  const Room& room = GetRoom(*i, *j);
  // Upstream tries for ever. If it ever succeeds it does so soon: it fails wherever the free cells
  // have objects or doors on all sides.
  constexpr int kMostTries = 1000;
  for (int tries = 0; tries < kMostTries; ++tries) {
    PlaceAgent(room.Cells(), 1000);
    const Handle front = grid_.At(agent_.Front());
    if (front == kNone || grid_[front].type == Type::kWall) return;
  }
  throw Rejected("a room has no cell for an agent that looks at none of its objects");
}

int RoomGrid::CountReachable() {
  std::vector<const Room*> reached;
  std::vector<const Room*> stack = {&RoomFromPos(agent_.position)};
  while (!stack.empty()) {
    const Room* room = stack.back();
    stack.pop_back();
    if (std::ranges::find(reached, room) != reached.end()) continue;
    reached.push_back(room);
    for (std::size_t side = 0; side < 4; ++side) {
      if (room->doors[side] != kNone) stack.push_back(room->neighbors[side]);
    }
  }
  return static_cast<int>(reached.size());
}

void RoomGrid::ConnectAll(std::span<const Color> colors) {
  constexpr int kMostTries = 5000;
  for (int tries = 0; tries <= kMostTries; ++tries) {
    if (CountReachable() == layout_.rows * layout_.columns) return;
    const int i = RandInt(0, layout_.columns);
    const int j = RandInt(0, layout_.rows);
    const int wall = RandInt(0, 4);
    const Room& room = GetRoom(i, j);
    const Room* neighbor = room.neighbors[static_cast<std::size_t>(wall)];
    if (neighbor == nullptr || room.doors[static_cast<std::size_t>(wall)] != kNone) continue;
    if (room.locked || neighbor->locked) continue;
    AddDoor(i, j, wall, RandElem(colors), false);
  }
  throw Rejected("the rooms cannot be connected");
}

std::vector<Handle> RoomGrid::AddDistractors(std::optional<int> i, std::optional<int> j, int count,
                                             bool all_unique) {
  std::vector<Thing> things;
  for (const Room& room : rooms_) {
    for (const Handle object : room.objs) things.push_back(grid_[object].Kind());
  }
  std::vector<Handle> added;
  for (int tries = 0; static_cast<int>(added.size()) < count; ++tries) {
    if (tries > kEndless) throw std::runtime_error("there are no more kinds of objects to add");
    const Color color = RandColor();
    const Thing thing = {RandElem(kThings), color};
    if (all_unique && std::ranges::find(things, thing) != things.end()) continue;
    const int column = i ? *i : RandInt(0, layout_.columns);
    const int row = j ? *j : RandInt(0, layout_.rows);
    added.push_back(AddObject(column, row, thing));
    things.push_back(thing);
  }
  return added;
}

}  // namespace envpool::minigrid
