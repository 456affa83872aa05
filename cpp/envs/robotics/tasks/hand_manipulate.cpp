// HandManipulate: turn and move a block, an egg or a pen in the hand.
//
// Follows gymnasium_robotics/envs/shadow_dexterous_hand/manipulate.py.
#include <algorithm>
#include <stdexcept>

#include "robotics/hand.h"
#include "robotics/manipulation_goal.h"
#include "robotics/sketch.h"
#include "robotics/touch_sensors.h"

namespace envpool::robotics::hand_manipulate {
namespace {

constexpr std::size_t kPose = 7;
constexpr std::size_t kVelocity = 6;
constexpr double kPalmHeight = 0.04;  // m
constexpr int kMostAttempts = 1000;

Pose ReadPose(const double* numbers) {
  return {{numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5], numbers[6]}};
}

void WritePose(const Pose& pose, double* numbers) {
  std::ranges::copy(pose.rotation, std::ranges::copy(pose.position, numbers).out);
}

class HandManipulate final : public HandEnv {
 public:
  HandManipulate(const Options& options, const std::shared_ptr<const mjModel>& model)
      : HandEnv(options, model), hidden_(mj_name2id(model.get(), mjOBJ_GEOM, "object_hidden")) {
    CheckSize(options, Observed(kObservation).size(),
              JointNumbers() + kVelocity + kPose + touch_.Size());
    PrepareWorld();
  }

 private:
  // Episodes begin with what the last one has left: controls, and the engine's first guess of
  // accelerations. So a world that begins is prepared as the original's is.
  void PrepareWorld() {
    World().Reset();
    World().Forward();
    initial_.assign(World().Qpos().begin(), World().Qpos().end());
    is_prepared_ = true;
  }

  void ResetEpisode(Random& random, const Options&) override {
    if (!is_prepared_ || World().IsDamaged()) PrepareWorld();
    is_prepared_ = false;
    int attempts = 0;
    while (!PlaceObject(random)) {
      if (++attempts == kMostAttempts) {
        throw std::runtime_error("the object did not stay on the palm in 1000 attempts");
      }
    }
    WritePose(goal_.Draw(ObjectPose(), random), Observed(kDesiredGoal).data());
    Look();
    is_prepared_ = true;
  }

  // Puts the object into the hand and lets it settle. Returns whether it is still there then.
  bool PlaceObject(Random& random) {
    RobotWorld& world = World();
    world.Data().time = 0.0;
    std::ranges::copy(initial_, world.Data().qpos);
    std::ranges::fill(world.Qvel(), 0.0);
    world.Forward();
    WritePose(goal_.DrawStart(ObjectPose(), random), world.Data().qpos + position_);
    for (int i = 0; i < 10; ++i) {
      Control({});
      world.Step(FrameSkip());
    }
    world.Forward();
    return world.Data().site_xpos[3 * center_ + 2] > kPalmHeight;
  }

  StepResult Advance(const Action& action, Random&) override {
    is_prepared_ = false;
    ControlBy(action);
    World().Step(FrameSkip());
    is_prepared_ = true;
    Look();
    return {.reward = goal_.Reward(distance_)};
  }

  Pose ObjectPose() const { return ReadPose(World().Data().qpos + position_); }

  // Sets what is observed.
  void Look() {
    const mjData& data = World().Data();
    WritePose(ObjectPose(), Observed(kAchievedGoal).data());
    std::span<double> out = AddJoints(Observed(kObservation));
    std::copy_n(data.qvel + velocity_, kVelocity, out.begin());
    std::ranges::copy(Observed(kAchievedGoal), out.subspan(kVelocity).begin());
    touch_.Observe(data, out.subspan(kVelocity + kPose));
    distance_ = goal_.Between(ObjectPose(), Goal());
  }

  Pose Goal() const { return ReadPose(Observed(kDesiredGoal).data()); }

  void WriteInfo(const Row& row) const override {
    WriteGoalInfo(row, goal_.IsReached(distance_), distance_.Sum());
  }

  void SerializeMore(Archive& archive) override {
    archive(distance_.position, distance_.rotation);
    if (archive.IsReader()) is_prepared_ = true;
  }

  // Shows the goal as a second object, beside the hand if its position does not matter.
  void Show(const Painter& paint) override {
    Sketch sketch(World());
    const mjModel& model = World().Model();
    Pose goal = Goal();
    if (goal_.IgnoresPosition()) goal.position[0] += 0.15;
    WritePose(goal, sketch.Data().qpos + target_position_);
    std::fill_n(sketch.Data().qvel + target_velocity_, kVelocity, 0.0);
    std::vector<float> geoms(model.geom_rgba, model.geom_rgba + 4 * model.ngeom);
    sketch.Model().geom_rgba = geoms.data();
    if (hidden_ >= 0) geoms[4 * static_cast<std::size_t>(hidden_) + 3] = 1.0F;
    sketch.Forward();
    std::vector<float> sites(model.site_rgba, model.site_rgba + 4 * model.nsite);
    sketch.Model().site_rgba = sites.data();
    touch_.Colour(sketch.Data(), sites);
    sketch.Show(paint);
  }

  const ManipulationGoal goal_{options_};
  const TouchSensors touch_{options_, World()};
  const int position_ = World().FreePosition("object:joint");  // of the object, in qpos
  const int velocity_ = World().FreeVelocity("object:joint");  // in qvel
  const int target_position_ = World().FreePosition("target:joint");
  const int target_velocity_ = World().FreeVelocity("target:joint");
  const int center_ = World().Site("object:center");  // a site
  const int hidden_;                                  // a geom that only pictures show; -1: none
  std::vector<double> initial_;                       // qpos
  bool is_prepared_ = false;             // an error may have left the world in disorder
  ManipulationGoal::Distance distance_;  // from the goal
};

}  // namespace
}  // namespace envpool::robotics::hand_manipulate

namespace envpool::robotics {

std::unique_ptr<Env> MakeHandManipulate(const Options& options) {
  return std::make_unique<hand_manipulate::HandManipulate>(options, HandModel(options));
}

}  // namespace envpool::robotics
