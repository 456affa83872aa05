// PointMaze: push a ball through a maze to a goal.
//
// Follows gymnasium_robotics/envs/maze/point_maze.py and point.py.
#include <algorithm>

#include "envpool/numpy_math.h"
#include "robotics/goal.h"
#include "robotics/maze.h"
#include "robotics/maze_goal.h"
#include "robotics/robot_env.h"

namespace envpool::robotics::point_maze {
namespace {

constexpr double kFastest = 5.0;  // m/s, along each axis

std::shared_ptr<const mjModel> ModelOf(const Options& options) {
  return Maze(options).Model("point/point.xml");
}

Keys KeysOf(const Options&) { return GoalKeys(4, 2); }

// The camera is farther away from a long maze.
Options WithCamera(Options options, const Maze& maze) {
  const std::string name = "default_camera_config";
  if (options.Get<std::vector<std::string>>(name).empty()) {
    const char* distance = maze.Length() > 8 ? "distance=12.5" : "distance=8.8";
    options.Set(name, std::vector<std::string>{distance});
  }
  return options;
}

class PointMaze final : public RobotEnv {
 public:
  explicit PointMaze(const Options& options) : PointMaze(options, Maze(options)) {}

 private:
  PointMaze(const Options& options, Maze maze)
      : RobotEnv(WithCamera(options, maze), "the model of PointMaze", maze.Model("point/point.xml"),
                 KeysOf(options)),
        maze_(std::move(maze)) {}

  void ResetEpisode(Random& random, const Options& options) override {
    const Place start = goal_.Reset(random, options);
    World().Reset();
    std::ranges::copy(start, World().Qpos().begin());
    World().Forward();
    Look();
  }

  StepResult Advance(const Action& action, Random& random) override {
    LimitVelocity();
    std::ranges::transform(action.Values<float>(), World().Control().begin(),
                           [](float value) { return numpy::Clip(value, -1.0, 1.0); });
    World().Step(FrameSkip());
    Look();
    const StepResult result = {.reward = goal_.Reward(Achieved()),
                               .terminated = goal_.Terminates(Achieved())};
    goal_.Update(Achieved(), random);
    return result;
  }

  void WriteInfo(const Row& row) const override { goal_.WriteInfo(row); }

  void SerializeMore(Archive& archive) override { archive(goal_); }

  Place Achieved() const { return {World().Data().qpos[0], World().Data().qpos[1]}; }

  // The ball would become ever faster.
  void LimitVelocity() {
    for (double& velocity : World().Qvel()) {
      velocity = numpy::Clip(velocity, -kFastest, kFastest);
    }
    World().Forward();
  }

  // Sets what is observed.
  void Look() {
    goal_.Note(Achieved());
    std::ranges::copy(Achieved(), Observed(kAchievedGoal).begin());
    std::ranges::copy(goal_.Get(), Observed(kDesiredGoal).begin());
    const auto velocities = std::ranges::copy(World().Qpos(), Observed(kObservation).begin());
    std::ranges::copy(World().Qvel(), velocities.out);
  }

  const Maze maze_;
  MazeGoal goal_{options_, maze_, World(), 0.5 * maze_.Scale()};
};

[[maybe_unused]] const bool registered = RegisterRobot<PointMaze>({
    .name = "PointMaze",
    .frame_skip = 1,
    .action = Box("action", DType::kFloat32, {2}, {-1.0}, {1.0}),
    .options = MazeOptions(1.0, 0.4),
    .reset_options = MazeResetOptions(),
    .keys = KeysOf,
    .infos = [](const Options&) { return SuccessInfos(); },
    .model = ModelOf,
});

}  // namespace
}  // namespace envpool::robotics::point_maze
