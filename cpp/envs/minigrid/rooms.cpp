// FourRooms and Playground: rooms that are connected by openings or doors. Follow
// minigrid/envs/fourrooms.py and playground.py.
#include "minigrid/start.h"

namespace envpool::minigrid {
namespace {

constexpr Size kSize = {19, 19};

class Rooms : public GridWorld {
 public:
  static Size SizeOf(const Options&) { return kSize; }

 protected:
  explicit Rooms(const Options& options) : GridWorld(options, kSize, 100) {}

  // Builds so many rooms per row and column. Opens each wall between two of them where it is at
  // least `margin` cells away from the next wall, by what `make_opening` makes.
  template <class MakeOpening>
  void BuildRooms(int count, int margin, MakeOpening make_opening) {
    grid_.WallRect({0, 0}, kSize);
    const int room = kSize.width / count;
    const int last = (count - 1) * room;
    for (int top = 0; top <= last; top += room) {
      for (int left = 0; left <= last; left += room) {
        const int right = left + room;
        const int bottom = top + room;
        if (left < last) {
          grid_.VerticalWall(right, top, room);
          const int y = RandInt(top + 1, bottom - margin);
          grid_.Set({right, y}, make_opening());
        }
        if (top < last) {
          grid_.HorizontalWall(left, bottom, room);
          const int x = RandInt(left + 1, right - margin);
          grid_.Set({x, bottom}, make_opening());
        }
      }
    }
  }
};

class FourRooms final : public Rooms {
 public:
  explicit FourRooms(const Options& options)
      : Rooms(options),
        start_(CellOf(options, "agent_pos", kSize)),
        goal_(CellOf(options, "goal_pos", kSize)) {}

  void Generate() override {
    BuildRooms(2, 0, [] { return kNone; });
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

class Playground final : public Rooms {
 public:
  explicit Playground(const Options& options) : Rooms(options) {}

  void Generate() override {
    BuildRooms(3, 1, [this] { return grid_.MakeDoor(RandColor()); });
    PlaceAgent();
    for (int i = 0; i < 12; ++i) PlaceObj(grid_.Make(RandThing()));
    mission_ = "";
  }
};

const std::vector<std::int64_t> anywhere = {-1, -1};

[[maybe_unused]] const bool registered = [] {
  RegisterLevel<FourRooms>(
      "MiniGridFourRooms",
      {{"agent_pos", anywhere, "the agent's first column and row; -1, -1 (or None): at random"},
       {"goal_pos", anywhere, "the goal's column and row; -1, -1 (or None): at random"}});
  RegisterLevel<Playground>("MiniGridPlayground");
  return true;
}();

}  // namespace
}  // namespace envpool::minigrid
