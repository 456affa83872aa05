// Gems: gather all balls of a room, and step into no lava.
#include "minigrid/level.h"

namespace {

using namespace envpool;
using namespace envpool::minigrid;

class Gems final : public GridWorld {
 public:
  // The last argument is the level's own limit of steps, for those who give no max_steps.
  explicit Gems(const Options& options)
      : GridWorld(options, SizeOf(options), 20 * IntOf(options, "size")),
        count_(IntOf(options, "num_gems")) {}

  static Size SizeOf(const Options& options) { return SquareOf(options); }

  // A new level in an empty grid. What does not fit is an error of envpool.make.
  void Generate() override {
    grid_.WallRect({0, 0}, {grid_.Width(), grid_.Height()});
    grid_.Put({grid_.Width() / 2, grid_.Height() / 2}, grid_.MakeLava());
    for (int i = 0; i < count_; ++i) PlaceObj(grid_.Make(Type::kBall, RandColor()));
    PlaceAgent();
    left_ = count_;
    mission_ = "get all of the balls";
  }

 private:
  // What happens in a step, beside what does so in all levels: here, gems go into a bag.
  StepResult Act(Move move) override {
    StepResult result = GridWorld::Act(move);
    if (agent_.carrying == kNone) return result;
    agent_.carrying = kNone;
    --left_;
    if (left_ == 0) {
      result.terminated = true;
      result.reward = Reward();
    }
    return result;
  }

  // What Generate and Act change beside the grid, the agent and the mission.
  void SerializeLevel(Archive& archive) override { archive.Range(left_, 0, count_); }

  const int count_;
  int left_ = 0;
};

[[maybe_unused]] const bool registered = RegisterLevel<Gems>(
    "Gems", {SizeOption(8, 5), {"num_gems", 3, "how many balls there are", {1, 1000}}});

}  // namespace
