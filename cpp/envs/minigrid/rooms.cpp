// FourRooms and Playground: rooms that are connected by openings or doors. Follow
// minigrid/envs/fourrooms.py and playground.py.
#include "minigrid/start.h"

namespace envpool::minigrid {
namespace {

constexpr Size kSize = {19, 19};

class FourRooms final : public GridWorld {
 public:
  explicit FourRooms(const Options& options)
      : GridWorld(options, kSize, 100),
        start_(CellOf(options, "agent_pos", kSize)),
        goal_(CellOf(options, "goal_pos", kSize)) {}

  static Size SizeOf(const Options&) { return kSize; }

  void Generate() override {
    grid_.WallRect({0, 0}, kSize);
    const int room = kSize.width / 2;
    for (int top = 0; top < 2 * room; top += room) {
      for (int left = 0; left < 2 * room; left += room) {
        const int right = left + room;
        const int bottom = top + room;
        if (left == 0) {
          grid_.VerticalWall(right, top, room);
          grid_.Set({right, RandInt(top + 1, bottom)}, kNone);
        }
        if (top == 0) {
          grid_.HorizontalWall(left, bottom, room);
          grid_.Set({RandInt(left + 1, right), bottom}, kNone);
        }
      }
    }
    PlaceAgentAndGoal();
    mission_ = "reach the goal";
  }

 private:
  void PlaceAgentAndGoal() {
    if (start_) {
      agent_.position = *start_;
      grid_.Set(*start_, kNone);
      agent_.direction = RandInt(0, 4);
    } else {
      PlaceAgent();
    }
    const Handle goal = grid_.MakeGoal();
    if (goal_) {
      grid_.Put(*goal_, goal);
    } else {
      PlaceObj(goal);
    }
  }

  const std::optional<Point> start_;
  const std::optional<Point> goal_;
};

class Playground final : public GridWorld {
 public:
  explicit Playground(const Options& options) : GridWorld(options, kSize, 100) {}

  static Size SizeOf(const Options&) { return kSize; }

  void Generate() override {
    grid_.WallRect({0, 0}, kSize);
    const int room = kSize.width / 3;
    for (int top = 0; top < 3 * room; top += room) {
      for (int left = 0; left < 3 * room; left += room) {
        const int right = left + room;
        const int bottom = top + room;
        if (left < 2 * room) {
          grid_.VerticalWall(right, top, room);
          const int y = RandInt(top + 1, bottom - 1);
          grid_.Set({right, y}, grid_.MakeDoor(RandColor()));
        }
        if (top < 2 * room) {
          grid_.HorizontalWall(left, bottom, room);
          const int x = RandInt(left + 1, right - 1);
          grid_.Set({x, bottom}, grid_.MakeDoor(RandColor()));
        }
      }
    }
    PlaceAgent();
    for (int i = 0; i < 12; ++i) PlaceObj(grid_.Make(RandThing()));
    mission_ = "";
  }
};

const std::vector<std::int64_t> anywhere = {-1, -1};

[[maybe_unused]] const bool registered_four = RegisterLevel<FourRooms>(
    "MiniGridFourRooms",
    {{"agent_pos", anywhere, "the agent's first column and row; -1, -1 (or None): at random"},
     {"goal_pos", anywhere, "the goal's column and row; -1, -1 (or None): at random"}});

[[maybe_unused]] const bool registered_playground = RegisterLevel<Playground>("MiniGridPlayground");

}  // namespace
}  // namespace envpool::minigrid
