// RedBlueDoors: open first the red door, then the blue one. Follows minigrid/envs/redbluedoors.py.
#include "minigrid/level.h"

namespace envpool::minigrid {
namespace {

class RedBlueDoors final : public GridWorld {
 public:
  explicit RedBlueDoors(const Options& options)
      : GridWorld(options, SizeOf(options), 20 * IntOf(options, "size") * IntOf(options, "size")) {}

  static Size SizeOf(const Options& options) {
    return {2 * IntOf(options, "size"), IntOf(options, "size")};
  }

  // Makes a room in the middle, with doors to the left and to the right.
  void Generate() override {
    const int size = grid_.Height();
    const Area room = {{size / 2, 0}, {size, size}};
    grid_.WallRect({0, 0}, {2 * size, size});
    grid_.WallRect(room.top, room.size);
    PlaceAgent(room);
    red_door_ = grid_.MakeDoor(Color::kRed);
    grid_.Set({size / 2, RandInt(1, size - 1)}, red_door_);
    blue_door_ = grid_.MakeDoor(Color::kBlue);
    grid_.Set({size / 2 + size - 1, RandInt(1, size - 1)}, blue_door_);
    mission_ = "open the red door then the blue door";
  }

 private:
  bool IsOpen(Handle door) const { return grid_[door].state == DoorState::kOpen; }

  StepResult Act(Move move) override {
    const bool red_was_open = IsOpen(red_door_);
    const bool blue_was_open = IsOpen(blue_door_);
    StepResult result = GridWorld::Act(move);
    if (IsOpen(blue_door_)) {
      End(result, red_was_open ? Reward() : 0.0);
    } else if (IsOpen(red_door_) && blue_was_open) {
      End(result, 0.0);
    }
    return result;
  }

  void SerializeLevel(Archive& archive) override {
    archive.Index(red_door_, grid_.Objects());
    archive.Index(blue_door_, grid_.Objects());
  }

  Handle red_door_ = kNone;
  Handle blue_door_ = kNone;
};

// The grid is twice as wide as high.
[[maybe_unused]] const bool registered = RegisterLevel<RedBlueDoors>(
    "MiniGridRedBlueDoors", {{"size", 8, "rows of the grid", {4, 100}}});

}  // namespace
}  // namespace envpool::minigrid
