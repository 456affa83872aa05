// Empty: go to the goal in the corner of an empty room. Follows minigrid/envs/empty.py.
#include "minigrid/start.h"

namespace envpool::minigrid {
namespace {

class Empty final : public GridWorld {
 public:
  explicit Empty(const Options& options)
      : GridWorld(options, SizeOf(options), 4 * IntOf(options, "size") * IntOf(options, "size")),
        start_(options, SizeOf(options)) {}

  static Size SizeOf(const Options& options) { return SquareOf(options); }

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

[[maybe_unused]] const bool registered =
    RegisterLevel<Empty>("MiniGridEmpty", {SizeOption(8, 4), start_position, start_direction},
                         {.sees_through_walls = true});

}  // namespace
}  // namespace envpool::minigrid
