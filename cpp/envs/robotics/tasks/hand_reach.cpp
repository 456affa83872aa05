// HandReach: bring the finger tips to their places.
//
// Follows gymnasium_robotics/envs/shadow_dexterous_hand/reach.py.
#include <algorithm>
#include <array>

#include "envpool/fork_local.h"
#include "mujoco/shared_cache.h"
#include "robotics/hand.h"
#include "robotics/rotations.h"
#include "robotics/sketch.h"

namespace envpool::robotics::hand_reach {
namespace {

constexpr std::size_t kFingers = 5;
constexpr std::size_t kThumb = 4;
constexpr std::array<const char*, kFingers> kTips = {
    "robot0:S_fftip", "robot0:S_mftip", "robot0:S_rftip", "robot0:S_lftip", "robot0:S_thtip"};
using Tips = std::array<Vector, kFingers>;

struct InitialJoint {
  const char* name;
  double position;  // radians
};

constexpr InitialJoint kInitialJoints[] = {
    {"robot0:WRJ1", -0.16514339750464327},   {"robot0:WRJ0", -0.31973286565062153},
    {"robot0:FFJ3", 0.14340512546557435},    {"robot0:FFJ2", 0.32028208333591573},
    {"robot0:FFJ1", 0.7126053607727917},     {"robot0:FFJ0", 0.6705281001412586},
    {"robot0:MFJ3", 0.000246444303701037},   {"robot0:MFJ2", 0.3152655251085491},
    {"robot0:MFJ1", 0.7659800313729842},     {"robot0:MFJ0", 0.7323156897425923},
    {"robot0:RFJ3", 0.00038520700007378114}, {"robot0:RFJ2", 0.36743546201985233},
    {"robot0:RFJ1", 0.7119514095008576},     {"robot0:RFJ0", 0.6699446327514138},
    {"robot0:LFJ4", 0.0525442258033891},     {"robot0:LFJ3", -0.13615534724474673},
    {"robot0:LFJ2", 0.39872030433433003},    {"robot0:LFJ1", 0.7415570009679252},
    {"robot0:LFJ0", 0.704096378652974},      {"robot0:THJ4", 0.003673823825070126},
    {"robot0:THJ3", 0.5506291436028695},     {"robot0:THJ2", -0.014515151997119306},
    {"robot0:THJ1", -0.0015229223564485414}, {"robot0:THJ0", -0.7894883021600622},
};

using TipSites = std::array<int, kFingers>;

TipSites FindTips(const RobotWorld& world) {
  TipSites sites;
  std::ranges::transform(kTips, sites.begin(), [&](const char* name) { return world.Site(name); });
  return sites;
}

Tips TipsOf(const RobotWorld& world, const TipSites& sites) {
  Tips tips;
  std::ranges::transform(sites, tips.begin(), [&](int site) { return world.SitePosition(site); });
  return tips;
}

// How all episodes begin.
struct Start {
  std::shared_ptr<const mjModel> model;  // keeps the address that the cache goes by
  std::vector<double> position;
  Tips tips;
  Vector palm;
};

Start Prepare(const std::shared_ptr<const mjModel>& model) {
  RobotWorld world("the hand's model", model);
  for (const InitialJoint& joint : kInitialJoints) {
    world.Data().qpos[world.JointPosition(joint.name)] = joint.position;
  }
  world.Forward();
  return {.model = model,
          .position = {world.Qpos().begin(), world.Qpos().end()},
          .tips = TipsOf(world, FindTips(world)),
          .palm = world.BodyPosition(world.Body("robot0:palm"))};
}

ForkLocal<mujoco::SharedCache<const mjModel*, const Start>> starts;

std::shared_ptr<const Start> StartOf(const std::shared_ptr<const mjModel>& model) {
  return starts.Get().Get(model.get(),
                          [&] { return std::make_shared<const Start>(Prepare(model)); });
}

class HandReach final : public HandEnv {
 public:
  HandReach(const Options& options, const std::shared_ptr<const mjModel>& model)
      : HandEnv(options, model), start_(StartOf(model)) {
    for (std::size_t i = 0; i < kFingers; ++i) {
      targets_[i] = World().Site(("target" + std::to_string(i)).c_str());
      fingers_[i] = World().Site(("finger" + std::to_string(i)).c_str());
    }
    CheckSize(options, Observed(kObservation).size(), JointNumbers() + 3 * kFingers);
  }

 private:
  void ResetEpisode(Random& random, const Options&) override {
    World().Reset();
    std::ranges::copy(start_->position, World().Data().qpos);
    World().Forward();
    Write(DrawGoal(random), Observed(kDesiredGoal));
    Look();
  }

  Tips DrawGoal(Random& random) const {
    const auto finger = static_cast<std::size_t>(random.Choice(kFingers - 1));
    // The fingers meet above the palm, but not in one point.
    Vector meeting = {start_->palm[0], start_->palm[1] + -0.09, start_->palm[2] + 0.05};
    for (double& element : meeting) element += random.Normal(0.0, 0.005);
    Tips goal = start_->tips;
    for (const std::size_t i : {kThumb, finger}) {
      Vector direction;
      for (std::size_t k = 0; k < 3; ++k) direction[k] = meeting[k] - goal[i][k];
      const double norm = numerics::Norm(direction);
      for (std::size_t k = 0; k < 3; ++k) goal[i][k] = meeting[k] - 0.005 * (direction[k] / norm);
    }
    // Else the thumb would always be near its goal.
    return random.Uniform() < 0.1 ? start_->tips : goal;
  }

  StepResult Advance(const Action& action, Random&) override {
    ControlBy(action);
    World().Step(FrameSkip());
    Look();
    return {.reward = GoalReward(distance_, threshold_, is_sparse_)};
  }

  static void Write(const Tips& tips, std::span<double> out) {
    auto place = out.begin();
    for (const Vector& tip : tips) place = std::ranges::copy(tip, place).out;
  }

  // Sets what is observed.
  void Look() {
    const Tips tips = TipsOf(World(), tips_);
    Write(tips, Observed(kAchievedGoal));
    Write(tips, AddJoints(Observed(kObservation)));
    distance_ = GoalDistance(Observed(kAchievedGoal), Observed(kDesiredGoal));
  }

  void WriteInfo(const Row& row) const override {
    WriteGoalInfo(row, distance_ < threshold_, distance_);
  }

  void SerializeMore(Archive& archive) override { archive(distance_); }

  // Shows goals and finger tips.
  void Show(const Painter& paint) override {
    Sketch sketch(World());
    for (std::size_t i = 0; i < kFingers; ++i) {
      sketch.MoveSite(targets_[i], Observed(kDesiredGoal).subspan(3 * i, 3), targets_[i]);
      sketch.MoveSite(fingers_[i], Observed(kAchievedGoal).subspan(3 * i, 3), fingers_[i]);
    }
    sketch.Forward();
    sketch.Show(paint);
  }

  const std::shared_ptr<const Start> start_;
  const TipSites tips_ = FindTips(World());
  std::array<int, kFingers> targets_;
  std::array<int, kFingers> fingers_;
  double distance_ = 0.0;  // from the goal
};

}  // namespace
}  // namespace envpool::robotics::hand_reach

namespace envpool::robotics {

std::unique_ptr<Env> MakeHandReach(const Options& options) {
  return std::make_unique<hand_reach::HandReach>(options, HandModel(options));
}

}  // namespace envpool::robotics
