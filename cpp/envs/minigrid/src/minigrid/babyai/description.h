// Description: which objects an instruction means, as the ObjDesc of
// minigrid/envs/babyai/core/verifier.py.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "minigrid/room_grid.h"

namespace envpool::minigrid::babyai {

// A Side is relative to the agent as it stands when an episode begins.
enum class Side : std::uint8_t { kLeft, kRight, kFront, kBehind };

// The order in which sides are drawn.
inline constexpr std::array<Side, 4> kSides = {Side::kLeft, Side::kRight, Side::kFront,
                                               Side::kBehind};

// A Description may leave out a type, colour or side, which then may be any. It finds its objects
// when an episode begins, and means these from then on, wherever they and the agent go.
class Description {
 public:
  Description() = default;
  Description(std::optional<Type> type, std::optional<Color> color, std::optional<Side> side = {})
      : type_(type), color_(color), side_(side) {}
  explicit Description(Thing thing) : Description(thing.type, thing.color) {}
  explicit Description(Type type) : Description(type, std::nullopt) {}

  bool Describes(Thing thing) const {
    return type_.value_or(thing.type) == thing.type && color_.value_or(thing.color) == thing.color;
  }
  std::optional<Type> OfType() const { return type_; }
  std::optional<Color> OfColor() const { return color_; }

  // Finds the objects that this describes; `room` is the agent's.
  void Find(const Grid& grid, const Pose& agent, const Room& room);
  // Looks again where the objects are.
  void Follow(const Grid& grid);

  // "the red ball", or "a red ball" if it found several. Throws std::logic_error if it found none.
  std::string Text() const;

  bool HasFoundNone() const { return found_.empty(); }
  bool Means(Handle object) const;
  bool SharesOneWith(const Description& other) const;

  // True if one of the objects was in this cell when the description last looked; if one was right
  // beside it; if all were in this room.
  bool IsAt(Point at) const;
  bool IsBeside(Point at) const;
  bool IsWithin(const Room& room) const;

  // True if one of the objects, as far as these know themselves where they are, is beside one of
  // the others.
  bool IsBesideAnyOf(const Description& others, const Grid& grid) const;

  void Serialize(Archive& archive);
  // True if the handles of all objects are below `objects`.
  bool KnowsOnly(std::size_t objects) const;

 private:
  struct Found {
    Handle object = kNone;
    Point place = kNowhere;

    void Serialize(Archive& archive) { archive.Any(object, place.x, place.y); }
  };

  // True if the description fits walls, which are grey.
  bool DescribesWalls() const { return Describes({Type::kWall, Color::kGrey}); }

  std::optional<Type> type_;
  std::optional<Color> color_;
  std::optional<Side> side_;
  std::vector<Found> found_;
};

}  // namespace envpool::minigrid::babyai
