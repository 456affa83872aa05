// LockedRoom: find the key to the room with the goal. Follows minigrid/envs/lockedroom.py.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "minigrid/level.h"

namespace envpool::minigrid {
namespace {

class LockedRoom final : public GridWorld {
 public:
  explicit LockedRoom(const Options& options)
      : GridWorld(options, SizeOf(options), 10 * IntOf(options, "size")) {}

  static Size SizeOf(const Options& options) { return SquareOf(options); }

  // Makes a corridor with three rooms to each side.
  void Generate() override {
    const int size = grid_.Width();
    const int left = size / 2 - 2;
    const int right = size / 2 + 2;
    grid_.WallRect({0, 0}, {size, size});
    grid_.VerticalWall(left, 0, size);
    grid_.VerticalWall(right, 0, size);
    std::array<Area, 6> rooms;
    std::array<Point, 6> doors;
    for (std::size_t n = 0; n < 3; ++n) {
      const int top = static_cast<int>(n) * (size / 3);
      grid_.HorizontalWall(0, top, left);
      grid_.HorizontalWall(right, top, size - right);
      const Size room = {left + 1, size / 3 + 1};
      rooms[2 * n] = {{0, top}, room};
      rooms[2 * n + 1] = {{right, top}, room};
      doors[2 * n] = {left, top + 3};
      doors[2 * n + 1] = {right, top + 3};
    }
    const auto locked = static_cast<std::size_t>(RandInt(0, 6));
    grid_.Set(DrawIn(rooms[locked]), grid_.MakeGoal());
    const std::vector<Color> colors = RandSubset(kColors, 6);
    for (std::size_t n = 0; n < 6; ++n) {
      grid_.Set(doors[n], grid_.MakeDoor(colors[n], n == locked));
    }
    auto with_key = locked;
    while (with_key == locked) with_key = static_cast<std::size_t>(RandInt(0, 6));
    grid_.Set(DrawIn(rooms[with_key]), grid_.Make(Type::kKey, colors[locked]));
    PlaceAgent({{left, 0}, {right - left, size}});
    const std::string color(NameOf(colors[locked]));
    mission_ = "get the " + color + " key from the " + std::string(NameOf(colors[with_key])) +
               " room, unlock the " + color + " door and go to the goal";
  }

 private:
  Point DrawIn(Area room) {
    return RandPos(room.top.x + 1, room.top.x + room.size.width - 1, room.top.y + 1,
                   room.top.y + room.size.height - 1);
  }
};

// The grid is not smaller, because a room's door would then be in the wall to the next one.
[[maybe_unused]] const bool registered =
    RegisterLevel<LockedRoom>("MiniGridLockedRoom", {SizeOption(19, 13)});

}  // namespace
}  // namespace envpool::minigrid
