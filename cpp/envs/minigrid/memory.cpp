// Memory: go to that end of a hallway where the object is that was seen at its beginning. Follows
// minigrid/envs/memory.py.
#include <array>

#include "minigrid/level.h"

namespace envpool::minigrid {
namespace {

class Memory final : public SquareWorld {
 public:
  explicit Memory(const Options& options)
      : SquareWorld(options, 5), has_random_length_(options.Flag("random_length")) {}

  static Size SizeOf(const Options& options) { return OddSquareOf(options); }

  void Generate() override {
    const int size = grid_.Width();
    const int middle = size / 2;
    grid_.WallRect({0, 0}, {size, size});
    const int end = has_random_length_ ? RandInt(4, size - 2) : size - 3;
    // The room at the beginning, the hallway, and what it leads to.
    grid_.HorizontalWall(1, middle - 2, 4);
    grid_.HorizontalWall(1, middle + 2, 4);
    grid_.Set({4, middle - 1}, kWall);
    grid_.Set({4, middle + 1}, kWall);
    grid_.HorizontalWall(5, middle - 1, end - 5);
    grid_.HorizontalWall(5, middle + 1, end - 5);
    grid_.VerticalWall(end, 0, size);
    grid_.Set({end, middle}, kNone);
    grid_.VerticalWall(end + 2, 0, size);

    agent_.position = {RandInt(1, end + 1), middle};
    agent_.direction = 0;
    const Type seen = RandElem(std::array{Type::kKey, Type::kBall});
    grid_.Set({1, middle - 1}, grid_.Make(seen, Color::kGreen));
    const bool has_ball_above = RandBool();
    const Type above = has_ball_above ? Type::kBall : Type::kKey;
    const Type below = has_ball_above ? Type::kKey : Type::kBall;
    grid_.Set({end + 1, middle - 2}, grid_.Make(above, Color::kGreen));
    grid_.Set({end + 1, middle + 2}, grid_.Make(below, Color::kGreen));
    const Point up = {end + 1, middle - 1};
    const Point down = {end + 1, middle + 1};
    success_ = seen == above ? up : down;
    failure_ = seen == above ? down : up;
    mission_ = "go to the matching object at the end of the hallway";
  }

 private:
  StepResult Act(Move move) override {
    StepResult result = GridWorld::Act(move == Move::kPickup ? Move::kToggle : move);
    if (agent_.position == success_) End(result, Reward());
    if (agent_.position == failure_) End(result, 0.0);
    return result;
  }

  void SerializeLevel(Archive& archive) override {
    success_.Serialize(archive, grid_.InCells());
    failure_.Serialize(archive, grid_.InCells());
  }

  const bool has_random_length_;
  Point success_;
  Point failure_;
};

[[maybe_unused]] const bool registered = RegisterLevel<Memory>(
    "MiniGridMemory",
    {SizeOption(7, 7), {"random_length", false, "the hallway's length is drawn"}});

}  // namespace
}  // namespace envpool::minigrid
