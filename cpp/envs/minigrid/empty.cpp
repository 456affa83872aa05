// Empty and DistShift: go to the goal. Follow minigrid/envs/empty.py and distshift.py.
#include "minigrid/start.h"

namespace envpool::minigrid {
namespace {

class Empty final : public SquareWorld {
 public:
  explicit Empty(const Options& options)
      : SquareWorld(options, 4), start_(options, SizeOf(options)) {}

  void Generate() override {
    const int size = grid_.Width();
    grid_.WallRect({0, 0}, {size, size});
    grid_.Put({size - 2, size - 2}, grid_.MakeGoal());
    PlaceAgentAt(start_.position, start_.direction);
    mission_ = "get to the green goal square";
  }

 private:
  const Start start_;
};

// DistShift has a goal at the end of a row with lava, and another strip of lava, whose row may
// change.
class DistShift final : public GridWorld {
 public:
  explicit DistShift(const Options& options)
      : GridWorld(options, SizeOf(options), 4 * IntOf(options, "width") * IntOf(options, "height")),
        start_(options, SizeOf(options)),
        strip_row_(IntOf(options, "strip2_row")) {
    if (strip_row_ > grid_.Height() - 2) {
      throw std::invalid_argument("strip2_row is " + std::to_string(strip_row_) +
                                  ", expected a row within the walls, from 1 to " +
                                  std::to_string(grid_.Height() - 2));
    }
  }

  static Size SizeOf(const Options& options) {
    return {IntOf(options, "width"), IntOf(options, "height")};
  }

  void Generate() override {
    grid_.WallRect({0, 0}, {grid_.Width(), grid_.Height()});
    grid_.Put({grid_.Width() - 2, 1}, grid_.MakeGoal());
    const Handle lava = grid_.MakeLava();
    grid_.HorizontalWall(3, 1, grid_.Width() - 6, lava);
    grid_.HorizontalWall(3, strip_row_, grid_.Width() - 6, lava);
    PlaceAgentAt(start_.position, start_.direction);
    mission_ = "get to the green goal square";
  }

 private:
  const Start start_;
  const int strip_row_;
};

[[maybe_unused]] const bool registered = [] {
  RegisterLevel<Empty>("MiniGridEmpty", {SizeOption(8, 4), start_position, start_direction},
                       {.sees_through_walls = true});
  RegisterLevel<DistShift>("MiniGridDistShift",
                           {{"width", 9, "columns of the grid", {6, 200}},
                            {"height", 7, "rows of the grid", {5, 200}},
                            start_position,
                            start_direction,
                            {"strip2_row", 2, "the row of the other strip of lava", {1, 198}}},
                           {.sees_through_walls = true});
  return true;
}();

}  // namespace
}  // namespace envpool::minigrid
