// Humanoid and HumanoidCMU, which has the joints of motion capture: stand, walk or run on two legs.
//
// Follows dm_control/suite/humanoid.py and dm_control/suite/humanoid_CMU.py.
#include <array>
#include <string>

#include "dm_control/suite_env.h"
#include "envpool/numpy_math.h"

namespace envpool::dm_control::humanoid {
namespace {

// Names of parts of the model.
struct Anatomy {
  const char* torso;
  const char* velocity;  // the sensor of the center of mass's
  std::array<const char*, 4> limbs;
  int up;  // the axis of the torso's frame that points up when it stands
  std::size_t velocity_key;
};

class HumanoidTask final : public SuiteEnv {
 public:
  enum : std::size_t {
    kJointAngles,
    kHeadHeight,
    kExtremities,
    kTorsoVertical,
    kComVelocity,
    kPosition,
    kVelocity
  };

  HumanoidTask(const Setup& setup, const Anatomy& anatomy)
      : SuiteEnv(setup),
        torso_(World().Body(anatomy.torso)),
        velocity_(World().Sensor(anatomy.velocity)),
        up_(anatomy.up),
        velocity_key_(anatomy.velocity_key) {
    for (std::size_t i = 0; i < limbs_.size(); ++i) limbs_[i] = World().Body(anatomy.limbs[i]);
  }

 protected:
  void InitializeEpisode(RandomState& random) final {
    DrawUntilNothingTouches([&] { RandomizeJoints(random); });
  }

  double Reward() final {
    constexpr double kStandHeight = 1.4;  // m, of the head
    const double standing = Tolerance(HeadHeight(), AtLeast(kStandHeight, kStandHeight / 4));
    const double upright = Tolerance(World().BodyFrame(torso_, 2, up_), LinearFrom(0.9, 1.9, 0.0));
    const double stand_reward = standing * upright;
    return SmallControl() * stand_reward * (speed_ == 0.0 ? DontMove() : Move());
  }

  void WriteObservation(Observation& out) final {
    Write(out[velocity_key_], World().Qvel());
    if (has_pure_state_) return Write(out[kPosition], World().Qpos());
    constexpr std::size_t kRoot = 7;  // positions of the free joint
    Write(out[kJointAngles], World().Qpos().subspan(kRoot));
    out[kHeadHeight][0] = HeadHeight();
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
      const Vector limb = Difference(World().BodyPosition(limbs_[i]), World().BodyPosition(torso_));
      Write(out[kExtremities].subspan(3 * i, 3), InFrame(limb, World().BodyFrame(torso_)));
    }
    Write(out[kTorsoVertical], {World().BodyFrame(torso_) + 6, 3});
    Write(out[kComVelocity], {World().SensorData(velocity_), 3});
  }

 private:
  double DontMove() const {
    const std::span<const double> velocity = HorizontalVelocity();
    return numpy::Sum(
               2, [&](std::size_t i) { return ToleranceOfElement(velocity[i], {.margin = 2.0}); }) /
           2.0;
  }

  double Move() const {
    const double move = Tolerance(Norm(HorizontalVelocity()), LinearFrom(speed_, speed_, 0.0));
    return (5.0 * move + 1.0) / 6.0;
  }

  double HeadHeight() const { return World().BodyPosition(head_)[2]; }
  std::span<const double> HorizontalVelocity() const { return {World().SensorData(velocity_), 2}; }

  // To be reached, m/s; 0: to stand.
  const double speed_ = Is("stand") ? 0.0 : Is("walk") ? 1.0 : 10.0;
  const bool has_pure_state_ = Is("run_pure_state");
  const int torso_;
  const int head_ = World().Body("head");
  const int velocity_;
  const int up_;
  const std::size_t velocity_key_;
  std::array<int, 4> limbs_;
};

constexpr Anatomy kHumanoid = {.torso = "torso",
                               .velocity = "torso_subtreelinvel",
                               .limbs = {"left_hand", "left_foot", "right_hand", "right_foot"},
                               .up = 2,
                               .velocity_key = HumanoidTask::kVelocity};

Keys KeysOf(const std::string& task) {
  std::vector<std::size_t> own = {HumanoidTask::kJointAngles, HumanoidTask::kHeadHeight,
                                  HumanoidTask::kExtremities, HumanoidTask::kTorsoVertical,
                                  HumanoidTask::kComVelocity, HumanoidTask::kVelocity};
  if (task == "run_pure_state") own = {HumanoidTask::kPosition, HumanoidTask::kVelocity};
  return {{{"joint_angles", {21}},
           {"head_height", {}},
           {"extremities", {12}},
           {"torso_vertical", {3}},
           {"com_velocity", {3}},
           {"position", {28}},
           {"velocity", {27}}},
          own};
}

[[maybe_unused]] const bool humanoid = RegisterDomain<HumanoidTask>(
    {
        .name = "Humanoid",
        .frame_skip = 5,
        .tasks = {"stand", "walk", "run", "run_pure_state"},
        .keys = KeysOf,
        .actuators = ForAll(Symmetric(21)),
        .xml = ModelFile("humanoid.xml"),
    },
    kHumanoid);

constexpr Anatomy kHumanoidCMU = {.torso = "thorax",
                                  .velocity = "thorax_subtreelinvel",
                                  .limbs = {"lhand", "lfoot", "rhand", "rfoot"},
                                  .up = 1,
                                  .velocity_key = HumanoidTask::kPosition};  // which it has not

[[maybe_unused]] const bool humanoid_cmu = RegisterDomain<HumanoidTask>(
    {
        .name = "HumanoidCMU",
        .frame_skip = 10,
        .tasks = {"stand", "walk", "run"},
        .keys = ForAll(CommonKeys({{"joint_angles", {56}},
                                   {"head_height", {}},
                                   {"extremities", {12}},
                                   {"torso_vertical", {3}},
                                   {"com_velocity", {3}},
                                   {"velocity", {62}}})),
        .actuators = ForAll(Symmetric(56)),
        .xml = ModelFile("humanoid_CMU.xml"),
    },
    kHumanoidCMU);

}  // namespace
}  // namespace envpool::dm_control::humanoid
