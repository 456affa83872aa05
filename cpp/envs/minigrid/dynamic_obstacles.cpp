// DynamicObstacles: go to the goal among balls that move at random. Follows
// minigrid/envs/dynamicobstacles.py.
#include <vector>

#include "minigrid/start.h"

namespace envpool::minigrid {
namespace {

class DynamicObstacles final : public SquareWorld {
 public:
  explicit DynamicObstacles(const Options& options)
      : SquareWorld(options, 4), start_(options, SizeOf(options)), count_(CountOf(options)) {}

  void Generate() override {
    const int size = grid_.Width();
    grid_.WallRect({0, 0}, {size, size});
    grid_.Set({size - 2, size - 2}, grid_.MakeGoal());
    PlaceAgentAt(start_.position, start_.direction);
    obstacles_.clear();
    for (int i = 0; i < count_; ++i) {
      obstacles_.push_back(grid_.Make(Type::kBall, Color::kBlue));
      PlaceObj(obstacles_.back(), Everywhere(), nullptr, kTries);
    }
    mission_ = "get to the green goal square";
  }

 private:
  static constexpr int kTries = 100;

  // Returns as many as are asked for, unless that is more than half of the columns and one.
  static int CountOf(const Options& options) {
    const int count = IntOf(options, "n_obstacles");
    const int size = IntOf(options, "size");
    return 2 * count <= size + 2 ? count : size / 2;
  }

  // The object that was in front of the agent counts, even if it moves away.
  StepResult Act(Move move) override {
    const Handle front = grid_.At(agent_.Front());
    const bool is_clear = front == kNone || grid_[front].type == Type::kGoal;
    for (const Handle obstacle : obstacles_) MoveAside(obstacle);
    StepResult result = GridWorld::Act(move);
    if (move == Move::kForward && !is_clear) End(result, -1.0);
    return result;
  }

  // Moves an obstacle to a cell nearby, if one is found.
  void MoveAside(Handle obstacle) {
    const Point before = grid_[obstacle].Position();
    const Area nearby = {before - Point{1, 1}, {3, 3}};
    if (TryPlaceObj(obstacle, nearby, nullptr, kTries)) grid_.Set(before, kNone);
  }

  void SerializeLevel(Archive& archive) override {
    archive.Index(obstacles_, grid_.Objects());
    for (const Handle obstacle : obstacles_) {
      archive.Require(grid_.Contains(grid_[obstacle].Position()), "an obstacle that is nowhere");
    }
  }

  const Start start_;
  const int count_;
  std::vector<Handle> obstacles_;
};

[[maybe_unused]] const bool registered = RegisterLevel<DynamicObstacles>(
    "MiniGridDynamicObstacles",
    {SizeOption(8, 4),
     start_position,
     start_direction,
     {"n_obstacles",
      4,
      "how many balls there are; if they are many, half as many as columns",
      {0, 1000}}},
    {.sees_through_walls = true, .moves = 3});

}  // namespace
}  // namespace envpool::minigrid
