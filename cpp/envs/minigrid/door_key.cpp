// DoorKey: find the key, open the door, go to the goal behind it. Follows minigrid/envs/doorkey.py.
#include "minigrid/level.h"

namespace envpool::minigrid {
namespace {

class DoorKey final : public SquareWorld {
 public:
  explicit DoorKey(const Options& options) : SquareWorld(options, 10) {}

  void Generate() override {
    const int size = grid_.Width();
    grid_.WallRect({0, 0}, {size, size});
    grid_.Put({size - 2, size - 2}, grid_.MakeGoal());
    const int split = RandInt(2, size - 2);
    grid_.VerticalWall(split, 0, size);
    const Area left = {{0, 0}, {split, size}};
    PlaceAgent(left);
    const int door = RandInt(1, size - 2);
    grid_.Put({split, door}, grid_.MakeDoor(Color::kYellow, true));
    PlaceObj(grid_.Make(Type::kKey, Color::kYellow), left);
    mission_ = "use the key to open the door and then get to the goal";
  }
};

[[maybe_unused]] const bool registered =
    RegisterLevel<DoorKey>("MiniGridDoorKey", {SizeOption(8, 5)});

}  // namespace
}  // namespace envpool::minigrid
