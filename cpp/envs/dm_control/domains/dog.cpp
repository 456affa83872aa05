// Dog: stand, walk, trot or run on four legs, or fetch a ball.
//
// Follows dm_control/suite/dog.py.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "dm_control/suite_env.h"
#include "dm_control/suite_files.h"
#include "dm_control/xml.h"
#include "envpool/numpy_math.h"

namespace envpool::dm_control::dog {
namespace {

enum : std::size_t {
  kJointAngles,
  kJointVelocities,
  kTorsoPelvisHeight,
  kZProjection,
  kTorsoComVelocity,
  kInertialSensors,
  kFootForces,
  kTouchSensors,
  kActuatorState,
  kBallState,
  kTargetPosition
};

// To be reached, m/s; 0 where it is not to move.
double SpeedOf(const std::string& task) {
  return task == "walk" ? 1.0 : task == "trot" ? 3.0 : task == "run" ? 9.0 : 0.0;
}

std::string Xml(const std::string& task) {
  constexpr double kTimeLimit = 15.0;  // s
  constexpr double kFetchFloor = 10.0;
  Element model = ParseXml(ReadSuiteFile("dog.xml"));
  const bool fetches = task == "fetch";
  const std::string size =
      Shortest(fetches ? kFetchFloor : kTimeLimit * std::max(1.0, SpeedOf(task)));
  model.Find("geom", "floor").Set("size", size + " " + size + " .1");
  if (fetches) return model.Text();
  model.Remove("body", "ball");
  model.Remove("geom", "target");
  model.Remove("camera", "ball");
  model.Remove("camera", "head");
  for (const char* wall : {"wall_px", "wall_nx", "wall_py", "wall_ny"}) {
    model.Remove("geom", wall);
  }
  return model.Text();
}

class Dog final : public SuiteEnv {
 public:
  using SuiteEnv::SuiteEnv;

 private:
  void InitializeEpisode(RandomState& random) override {
    World().Reset();
    MeasureDefaultPose();
    const mjModel& model = World().Model();
    mjData& state = World().Data();
    const double azimuth = random.Uniform(0.0, 2.0 * std::numbers::pi);
    const std::array rotation = {std::cos(azimuth / 2.0), 0.0, 0.0, std::sin(azimuth / 2.0)};
    std::ranges::copy(rotation, state.qpos + World().JointPosition("root") + 3);
    for (const int horizontal : {0, 1, 5}) state.qvel[horizontal] = 2.0 * random.Normal();
    for (int actuator = 0; actuator < static_cast<int>(model.nu); ++actuator) {
      const double* const range = model.actuator_ctrlrange + 2 * actuator;
      state.act[actuator] = random.Uniform(range[0], range[1]);
    }
    if (fetches_) ThrowBall(random);
  }

  // What standing means for this dog.
  void MeasureDefaultPose() {
    constexpr double kFraction = 0.9;
    stand_heights_ = {Height(torso_) * kFraction, Height(pelvis_) * kFraction};
    const mjModel& model = World().Model();
    weight_ = -model.opt.gravity[2] * model.body_subtreemass[torso_];
  }

  // Towards the center, at an upward angle.
  void ThrowBall(RandomState& random) {
    double* const qpos = World().Data().qpos + World().JointPosition("ball_root");
    double* const qvel = World().Data().qvel + World().JointVelocity("ball_root");
    const double radius = 0.75 * World().GeomSize("floor");
    const double azimuth = random.Uniform(0.0, 2.0 * std::numbers::pi);
    qpos[0] = radius * std::sin(azimuth);
    qpos[1] = radius * std::cos(azimuth);
    qpos[2] = 0.05;
    const double height = random.Uniform(0.0, 3.0);
    const double gravity = -World().Model().opt.gravity[2];
    qvel[2] = std::sqrt(2.0 * gravity * height);
    const double speed = random.Uniform(0.0, 5.0);
    qvel[0] = speed * (-std::sin(azimuth) + 0.05 * random.Normal());
    qvel[1] = speed * (-std::cos(azimuth) + 0.05 * random.Normal());
  }

  double Reward() override {
    double reward = StandReward();
    if (speed_ > 0.0) reward *= MoveFactor();
    if (fetches_) {
      const double distance = BallToTargetDistance();
      const double target = World().GeomSize("target");
      // The dog may let go of a ball that it has brought.
      reward *= distance < 2.0 * target ? 1.0 : ReachFactor();
      const double near = Tolerance(
          distance,
          {.high = target, .margin = World().GeomSize("floor"), .sigmoid = Sigmoid::kReciprocal});
      reward *= (near + 1.0) / 2.0;
    }
    return reward;
  }

  double StandReward() const {
    const auto stands = [](double height, double least) {
      return Tolerance(height, AtLeast(least, least));
    };
    double reward = stands(Height(torso_), stand_heights_[0]);
    reward *= stands(Height(pelvis_), stand_heights_[1]);
    constexpr double kMostDegrees = 30.0;  // from upright
    const double cosine = std::cos(kMostDegrees * (std::numbers::pi / 180.0));
    for (const int body : {skull_, torso_, pelvis_}) {
      reward *=
          ToleranceOfElement(World().BodyFrame(body, 2, 2), LinearFrom(cosine, cosine + 1.0, 0.0));
    }
    const std::array touch = TouchSensors();
    const double force = numpy::Sum(touch.size(), [&](std::size_t i) { return touch[i]; });
    return reward * Tolerance(force, LinearFrom(weight_, weight_, 0.9));
  }

  double MoveFactor() const {
    const double forward = Tolerance(TorsoComVelocity()[0], {.low = speed_,
                                                             .high = 2.0 * speed_,
                                                             .margin = std::max(1.0, speed_),
                                                             .sigmoid = Sigmoid::kLinear,
                                                             .value_at_margin = 0.0});
    return (4.0 * forward + 1.0) / 5.0;
  }

  double ReachFactor() const {
    const Vector ball = World().GeomPosition(World().Geom("ball"));
    const int upper = World().Site("upper_bite");
    const double distance =
        0.5 * (Distance(ball, World().SitePosition(upper)) +
               Distance(ball, World().SitePosition(World().Site("lower_bite"))));
    const double reach = Tolerance(distance, {.high = World().Model().site_size[3 * upper],
                                              .margin = 2.0,
                                              .sigmoid = Sigmoid::kReciprocal});
    return (6.0 * reach + 1.0) / 7.0;
  }

  void WriteObservation(Observation& out) override {
    WriteHinges(out[kJointAngles], out[kJointVelocities]);
    Write(out[kTorsoPelvisHeight], std::array{Height(torso_), Height(pelvis_)});
    Write(out[kZProjection].subspan(0, 3), {World().BodyFrame(skull_) + 6, 3});
    Write(out[kZProjection].subspan(3, 3), {World().BodyFrame(torso_) + 6, 3});
    Write(out[kZProjection].subspan(6, 3), {World().BodyFrame(pelvis_) + 6, 3});
    Write(out[kTorsoComVelocity], TorsoComVelocity());
    WriteSensors(out[kInertialSensors], {"accelerometer", "velocimeter", "gyro"});
    WriteSensors(out[kFootForces], {"foot_L", "foot_R", "hand_L", "hand_R"});
    Write(out[kTouchSensors], TouchSensors());
    Write(out[kActuatorState], {World().Data().act, out[kActuatorState].size()});
    if (fetches_) WriteBall(out);
  }

  // Writes the readings of sensors with three numbers each.
  void WriteSensors(std::span<double> out, std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      Write(out.first(3), {World().SensorData(World().Sensor(name)), 3});
      out = out.subspan(3);
    }
  }

  // In the head's frame.
  void WriteBall(Observation& out) const {
    const int head = World().Site("head");
    const int ball = World().Geom("ball");
    const double* const frame = World().Data().site_xmat + 9 * head;
    const Vector place = World().SitePosition(head);
    const std::span<double> state = out[kBallState];
    Write(state.first(3), InFrame(Difference(World().GeomPosition(ball), place), frame));
    const Vector ball_velocity = VelocityOf(mjOBJ_GEOM, ball);
    const Vector head_velocity = VelocityOf(mjOBJ_SITE, head);
    Write(state.last(3), InFrame(Difference(ball_velocity, head_velocity), frame));
    const Vector target = World().GeomPosition(World().Geom("target"));
    Write(out[kTargetPosition], InFrame(Difference(target, place), frame));
  }

  Vector VelocityOf(mjtObj type, int id) const {
    double velocity[6];  // the rotation's first
    mj_objectVelocity(&World().Model(), &World().Data(), type, id, velocity, 0);
    return VectorAt(velocity + 3);
  }

  std::array<double, 4> TouchSensors() const {
    const auto touch = [this](const char* name) {
      return *World().SensorData(World().Sensor(name));
    };
    return {touch("palm_L"), touch("palm_R"), touch("sole_L"), touch("sole_R")};
  }

  Vector TorsoComVelocity() const {
    const double* const velocity = World().SensorData(World().Sensor("torso_linvel"));
    return InFrame(VectorAt(velocity), World().BodyFrame(torso_));
  }

  double BallToTargetDistance() const {
    return Distance(World().GeomPosition(World().Geom("ball")),
                    World().GeomPosition(World().Geom("target")));
  }

  double Height(int body) const { return World().BodyPosition(body)[2]; }

  void SerializeMore(Archive& archive) override { archive(stand_heights_, weight_); }

  const bool fetches_ = Is("fetch");
  const double speed_ = SpeedOf(Task());
  const int torso_ = World().Body("torso");
  const int pelvis_ = World().Body("pelvis");
  const int skull_ = World().Body("skull");
  std::array<double, 2> stand_heights_ = {};  // of torso and pelvis, m
  double weight_ = 0.0;                       // N
};

Keys KeysOf(const std::string& task) {
  Keys keys = CommonKeys({{"joint_angles", {73}},
                          {"joint_velocites", {73}},  // as dm_control spells it
                          {"torso_pelvis_height", {2}},
                          {"z_projection", {9}},
                          {"torso_com_velocity", {3}},
                          {"inertial_sensors", {9}},
                          {"foot_forces", {12}},
                          {"touch_sensors", {4}},
                          {"actuator_state", {38}},
                          {"ball_state", {6}},
                          {"target_position", {3}}});
  if (task != "fetch") keys.own.resize(kBallState);
  return keys;
}

[[maybe_unused]] const bool registered = RegisterDomain<Dog>({
    .name = "Dog",
    .frame_skip = 3,
    .tasks = {"stand", "walk", "trot", "run", "fetch"},
    .keys = KeysOf,
    .actuators = ForAll(Symmetric(38)),
    .xml = Xml,
    .assets = "dog_assets",
});

}  // namespace
}  // namespace envpool::dm_control::dog
