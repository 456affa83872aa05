// ObstructedMaze: find a ball behind locked doors, whose keys may be in boxes, and which other
// balls may block. Follows minigrid/envs/obstructedmaze.py and obstructedmaze_v1.py.
#include <algorithm>
#include <array>
#include <vector>

#include "minigrid/level.h"
#include "minigrid/pickup.h"

namespace envpool::minigrid {
namespace {

constexpr int kRoomSize = 6;
constexpr Color kBallToFind = kColors[0];
constexpr Color kBlockingBall = kColors[1];
constexpr Color kBoxColor = kColors[2];

class ObstructedMaze : public Pickup {
 protected:
  ObstructedMaze(const Options& options, Layout layout, int rooms_visited)
      : Pickup(options, layout, 4 * rooms_visited * kRoomSize * kRoomSize),
        key_in_box_(options.Flag("key_in_box")),
        is_blocked_(options.Flag("blocked")) {}

  void DrawColors() { colors_ = RandSubset(kColors, 6); }
  Color DoorColor(int index) const { return colors_[static_cast<std::size_t>((index + 6) % 6)]; }

  void AddLockedDoor(int i, int j, int wall, Color color) {
    const Handle door = AddDoor(i, j, wall, color, true);
    if (!is_blocked_) return;
    const Point before = grid_[door].Position() - kDirections[static_cast<std::size_t>(wall)];
    grid_.Set(before, grid_.Make(Type::kBall, kBlockingBall));
  }

  void AddKey(int i, int j, Color color) {
    Handle key = grid_.Make(Type::kKey, color);
    if (key_in_box_) {
      const Handle box = grid_.Make(Type::kBox, kBoxColor);
      grid_[box].contains = key;
      key = box;
    }
    PlaceInRoom(i, j, key);
  }

  void AddBallToFind(int i, int j) { AskFor(AddObject(i, j, Type::kBall, kBallToFind)); }

 private:
  const bool key_in_box_;
  const bool is_blocked_;
  std::vector<Color> colors_;  // of the doors
};

class ObstructedMazeTwoRooms final : public ObstructedMaze {
 public:
  explicit ObstructedMazeTwoRooms(const Options& options) : ObstructedMaze(options, kTwoRooms, 2) {}

  static Size SizeOf(const Options&) { return kTwoRooms.InCells(); }

  void Generate() override {
    RoomGrid::Generate();
    DrawColors();
    AddLockedDoor(0, 0, 0, DoorColor(0));
    AddKey(0, 0, DoorColor(0));
    AddBallToFind(1, 0);
    PlaceAgentInRoom(0, 0);
  }

 private:
  static constexpr Layout kTwoRooms = {.room_size = kRoomSize, .rows = 1, .columns = 2};
};

// ObstructedMazeFull has nine rooms: from the middle there are doors to as many sides as there are
// quarters, and from these two locked doors each to the corners, in one of which the ball is.
template <int kVersion>
class ObstructedMazeFull final : public ObstructedMaze {
 public:
  explicit ObstructedMazeFull(const Options& options)
      : ObstructedMaze(options, kNineRooms, IntOf(options, "num_rooms_visited")),
        quarters_(IntOf(options, "num_quarters")),
        agent_room_(AgentRoomOf(options)) {}

  static Size SizeOf(const Options&) { return kNineRooms.InCells(); }

  void Generate() override {
    RoomGrid::Generate();
    DrawColors();
    static constexpr std::array<Point, 4> kSides = {Point{2, 1}, {1, 2}, {0, 1}, {1, 0}};
    static constexpr std::array<Point, 4> kCorners = {Point{2, 0}, {2, 2}, {0, 2}, {0, 0}};
    for (int i = 0; i < quarters_; ++i) {
      AddDoor(1, 1, i, DoorColor(i), false);
      AddSide(kSides[static_cast<std::size_t>(i)], i);
    }
    const Point corner = kCorners[static_cast<std::size_t>(RandInt(0, quarters_))];
    AddBallToFind(corner.x, corner.y);
    PlaceAgentInRoom(agent_room_.x, agent_room_.y);
  }

 private:
  static constexpr Layout kNineRooms = {.room_size = kRoomSize, .rows = 3, .columns = 3};

  // Adds the two locked doors of a room, which is on the middle room's side `i`, and their keys. In
  // version 0, a ball that blocks the second door may take the place of the first one's key.
  void AddSide(Point room, int i) {
    const std::array<int, 2> doors = {i - 1, i + 1};
    for (const int k : doors) {
      AddLockedDoor(room.x, room.y, (k + 4) % 4, DoorColor(k));
      if (kVersion == 0) AddKey(room.x, room.y, DoorColor(k));
    }
    if (kVersion == 0) return;
    for (const int k : doors) AddKey(room.x, room.y, DoorColor(k));
  }

  static Point AgentRoomOf(const Options& options) {
    const auto& room = options.Get<std::vector<std::int64_t>>("agent_room");
    const auto is_one = [](std::int64_t number) { return 0 <= number && number < 3; };
    if (room.size() != 2 || !std::ranges::all_of(room, is_one)) {
      throw std::invalid_argument(
          "agent_room is not a room, expected its column and its row, each 0, 1 or 2");
    }
    return {static_cast<int>(room[0]), static_cast<int>(room[1])};
  }

  const int quarters_;
  const Point agent_room_;
};

const std::vector<OptionSpec> obstacles = {
    {"key_in_box", true, "keys are in boxes"},
    {"blocked", true, "balls are before locked doors"},
};

std::vector<OptionSpec> FullOptions() {
  std::vector<OptionSpec> options = obstacles;
  options.push_back({"agent_room", std::vector<std::int64_t>{1, 1},
                     "column and row of the room in which the agent starts"});
  options.push_back({"num_quarters", 4, "how many sides of the maze there are", {1, 4}});
  options.push_back(
      {"num_rooms_visited", 25, "how many rooms the level's own limit of steps is for", {1, 1000}});
  return options;
}

[[maybe_unused]] const bool registered = [] {
  RegisterLevel<ObstructedMazeTwoRooms>("MiniGridObstructedMazeTwoRooms", obstacles);
  RegisterLevel<ObstructedMazeFull<0>>("MiniGridObstructedMaze", FullOptions());
  RegisterLevel<ObstructedMazeFull<1>>("MiniGridObstructedMazeV1", FullOptions());
  return true;
}();

}  // namespace
}  // namespace envpool::minigrid
