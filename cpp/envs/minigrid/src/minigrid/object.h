// Object: what can be in a cell of a grid world, as minigrid/core/world_object.py has it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "envpool/archive.h"

namespace envpool::minigrid {

struct Size {
  int width = 0;
  int height = 0;
};

struct Point {
  int x = 0;
  int y = 0;

  bool operator==(const Point&) const = default;
  Point operator+(Point other) const { return {x + other.x, y + other.y}; }
  Point operator-(Point other) const { return {x - other.x, y - other.y}; }
  Point operator*(int factor) const { return {x * factor, y * factor}; }

  // Serializes a point that is in a grid, or nowhere.
  void Serialize(Archive& archive, Size grid) {
    archive.Range(x, -1, grid.width - 1);
    archive.Range(y, -1, grid.height - 1);
  }
};

inline constexpr Point kNowhere = {-1, -1};

// Directions are right, down, left, up: so an agent looks, and so a room's walls are counted.
inline constexpr std::array<Point, 4> kDirections = {Point{1, 0}, {0, 1}, {-1, 0}, {0, -1}};

// The numbers of types, colours and states are those of observations.
enum class Type : std::uint8_t {
  kUnseen,
  kEmpty,
  kWall,
  kFloor,
  kDoor,
  kKey,
  kBall,
  kBox,
  kGoal,
  kLava,
  kAgent,
};

enum class Color : std::uint8_t { kRed, kGreen, kBlue, kPurple, kYellow, kGrey };

enum class DoorState : std::uint8_t { kOpen, kClosed, kLocked };

// The order in which colours are drawn: that of their names.
inline constexpr std::array<Color, 6> kColors = {Color::kBlue,   Color::kGreen, Color::kGrey,
                                                 Color::kPurple, Color::kRed,   Color::kYellow};

// An agent can carry these types, which are drawn in this order.
inline constexpr std::array<Type, 3> kThings = {Type::kKey, Type::kBall, Type::kBox};

constexpr std::string_view NameOf(Color color) {
  constexpr std::array<std::string_view, 6> kNames = {"red",    "green",  "blue",
                                                      "purple", "yellow", "grey"};
  return kNames[static_cast<std::size_t>(color)];
}

constexpr std::string_view NameOf(Type type) {
  constexpr std::array<std::string_view, 11> kNames = {
      "unseen", "empty", "wall", "floor", "door", "key", "ball", "box", "goal", "lava", "agent"};
  return kNames[static_cast<std::size_t>(type)];
}

// A Thing is what objects of a kind have in common.
struct Thing {
  Type type = Type::kKey;
  Color color = Color::kRed;

  bool operator==(const Thing&) const = default;

  // "red ball"
  std::string Name() const { return std::string(NameOf(color)).append(" ").append(NameOf(type)); }

  // Returns EnvPool's number of the thing, among those that can be carried.
  int Number() const {
    return static_cast<int>(color) * 3 + static_cast<int>(type) - static_cast<int>(Type::kKey);
  }

  void Serialize(Archive& archive) {
    archive.Range(type, Type::kEmpty, Type::kLava);
    archive.Range(color, Color::kRed, Color::kGrey);
  }
};

// A Handle is an object's number in its grid's list, which is its identity.
using Handle = std::uint16_t;

struct Object {
  // The first three bytes are those of an observation.
  Type type = Type::kEmpty;
  Color color = Color::kRed;
  DoorState state = DoorState::kOpen;  // of what is no door, too
  Handle contains = 0;                 // of a box; 0: nothing
  std::int16_t x = -1;                 // its cell, as far as upstream keeps track of it
  std::int16_t y = -1;

  Thing Kind() const { return {type, color}; }

  Point Position() const { return {x, y}; }
  void MoveTo(Point to) {
    x = static_cast<std::int16_t>(to.x);
    y = static_cast<std::int16_t>(to.y);
  }

  bool IsClosedDoor() const { return type == Type::kDoor && state != DoorState::kOpen; }
  bool CanOverlap() const {
    return type == Type::kGoal || type == Type::kFloor || type == Type::kLava ||
           (type == Type::kDoor && state == DoorState::kOpen);
  }
  bool CanPickup() const { return type == Type::kKey || type == Type::kBall || type == Type::kBox; }
  bool SeeBehind() const { return type != Type::kWall && !IsClosedDoor(); }

  void Serialize(Archive& archive) {
    archive.Range(type, Type::kEmpty, Type::kLava);
    archive.Range(color, Color::kRed, Color::kGrey);
    archive.Range(state, DoorState::kOpen, DoorState::kLocked);
    archive.Any(contains);  // Grid looks at it
    archive.Any(x, y);
  }
};

}  // namespace envpool::minigrid
