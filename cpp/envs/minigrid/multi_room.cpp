// MultiRoom: go through a chain of rooms to the goal in the last one. Follows
// minigrid/envs/multiroom.py.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "minigrid/level.h"

namespace envpool::minigrid {
namespace {

struct ChainedRoom {
  Area area;
  Point entry;  // its door
};

class MultiRoom final : public GridWorld {
 public:
  explicit MultiRoom(const Options& options)
      : GridWorld(options, SizeOf(options), 20 * IntOf(options, "max_num_rooms")),
        least_(IntOf(options, "min_num_rooms")),
        most_(IntOf(options, "max_num_rooms")),
        largest_(IntOf(options, "max_room_size")) {
    if (most_ < least_) {
      throw std::invalid_argument("max_num_rooms is " + std::to_string(most_) +
                                  ", expected at least min_num_rooms, which is " +
                                  std::to_string(least_));
    }
  }

  static Size SizeOf(const Options& options) {
    return {IntOf(options, "width"), IntOf(options, "height")};
  }

  void Generate() override {
    const std::vector<ChainedRoom> rooms = DrawChain();
    std::optional<Color> previous;
    for (const ChainedRoom& room : rooms) {
      grid_.WallRect(room.area.top, room.area.size);
      if (&room == &rooms.front()) continue;
      std::vector<Color> colors(kColors.begin(), kColors.end());
      if (previous) std::erase(colors, *previous);
      previous = RandElem(colors);
      grid_.Set(room.entry, grid_.MakeDoor(*previous));
    }
    PlaceAgent(rooms.front().area);
    PlaceObj(grid_.MakeGoal(), rooms.back().area);
    mission_ = "traverse the rooms to get to the goal";
  }

 private:
  static constexpr int kSmallest = 4;
  static constexpr int kMostChains = 100'000;  // upstream tries for ever

  using Chain = std::vector<ChainedRoom>;

  // Draws chains until one is as long as it is to be; returns that.
  Chain DrawChain() {
    const int count = RandInt(least_, most_ + 1);
    Chain longest;
    for (int tries = 0; std::cmp_less(longest.size(), count); ++tries) {
      if (tries == kMostChains) {
        throw std::runtime_error("the level cannot be made: " + std::to_string(kMostChains) +
                                 " chains of rooms were drawn, and the longest has " +
                                 std::to_string(longest.size()) + " of " + std::to_string(count));
      }
      const int x = RandInt(0, grid_.Width() - 2);
      const int y = RandInt(0, grid_.Width() - 2);
      Chain chain;
      AddRoom(chain, count, 2, {x, y});
      if (chain.size() > longest.size()) longest = std::move(chain);
    }
    return longest;
  }

  // Adds a room behind this door, which is in its wall `entry_wall`, and after it as many of the
  // `left` - 1 others as find a place. False if the room itself finds none.
  bool AddRoom(Chain& chain, int left, int entry_wall, Point entry) {
    const int width = RandInt(kSmallest, largest_ + 1);
    const Size size = {width, RandInt(kSmallest, largest_ + 1)};
    const Area area = {chain.empty() ? entry : DrawTop(size, entry_wall, entry), size};
    if (!HasPlace(chain, area)) return false;
    chain.push_back({area, entry});
    if (left == 1) return true;
    for (int tries = 0; tries < 8; ++tries) {
      std::vector<int> walls = {0, 1, 2, 3};
      std::erase(walls, entry_wall);
      const int exit_wall = RandElem(walls);
      const Point exit = DrawDoor(area, exit_wall);
      if (AddRoom(chain, left - 1, (exit_wall + 2) % 4, exit)) break;
    }
    return true;
  }

  Point DrawTop(Size size, int entry_wall, Point entry) {
    switch (entry_wall) {
      case 0: return {entry.x - size.width + 1, DrawBefore(entry.y, size.height)};
      case 1: return {DrawBefore(entry.x, size.width), entry.y - size.height + 1};
      case 2: return {entry.x, DrawBefore(entry.y, size.height)};
      default: return {DrawBefore(entry.x, size.width), entry.y};
    }
  }

  // Draws where a room of this length begins, so that the door is not in its corner.
  int DrawBefore(int door, int length) { return RandInt(door - length + 2, door); }

  bool HasPlace(const Chain& chain, Area area) const {
    const auto [top, size] = area;
    if (top.x < 0 || top.y < 0) return false;
    if (top.x + size.width > grid_.Width() || top.y + size.height >= grid_.Height()) return false;
    // The last room shares the wall with the door.
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      const auto [other, other_size] = chain[i].area;
      const bool is_apart = top.x + size.width < other.x || other.x + other_size.width <= top.x ||
                            top.y + size.height < other.y || other.y + other_size.height <= top.y;
      if (!is_apart) return false;
    }
    return true;
  }

  Point DrawDoor(Area area, int wall) {
    const auto [top, size] = area;
    switch (wall) {
      case 0: return {top.x + size.width - 1, top.y + RandInt(1, size.height - 1)};
      case 1: return {top.x + RandInt(1, size.width - 1), top.y + size.height - 1};
      case 2: return {top.x, top.y + RandInt(1, size.height - 1)};
      default: return {top.x + RandInt(1, size.width - 1), top.y};
    }
  }

  const int least_;
  const int most_;
  const int largest_;
};

[[maybe_unused]] const bool registered = RegisterLevel<MultiRoom>(
    "MiniGridMultiRoom", {{"min_num_rooms", 6, "least rooms of a level", {1, 100}},
                          {"max_num_rooms", 6, "most rooms of a level", {1, 100}},
                          {"max_room_size", 10, "most columns and rows of a room", {4, 200}},
                          {"width", 25, "columns of the grid", {5, 200}},
                          {"height", 25, "rows of the grid", {5, 200}}});

}  // namespace
}  // namespace envpool::minigrid
