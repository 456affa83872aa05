// Quadruped: walk or run on four legs, escape from a bowl, or fetch a ball.
//
// Follows dm_control/suite/quadruped.py.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "dm_control/suite_env.h"
#include "dm_control/suite_files.h"
#include "dm_control/terrain.h"
#include "dm_control/xml.h"
#include "numerics/loops.h"

namespace envpool::dm_control::quadruped {
namespace {

enum : std::size_t {
  kEgocentricState,
  kTorsoVelocity,
  kTorsoUpright,
  kImu,
  kForceTorque,
  kOrigin,
  kRangefinder,
  kBallState,
  kTargetPosition
};

constexpr double kWalkSpeed = 0.5;  // m/s
constexpr double kRunSpeed = 5.0;

using Quaternion = std::array<double, 4>;

std::string Xml(const std::string& task) {
  constexpr double kTimeLimit = 20.0;  // s
  Element model = ParseXml(ReadSuiteFile("quadruped.xml"));
  if (task != "fetch") {
    const double size = task == "escape" ? 40.0
                        : task == "run"  ? kTimeLimit * kRunSpeed
                                         : kTimeLimit * kWalkSpeed;
    model.Find("geom", "floor").Set("size", Shortest(size) + " " + Shortest(size) + " .5");
    for (const char* wall : {"wall_px", "wall_py", "wall_nx", "wall_ny"}) {
      model.Remove("geom", wall);
    }
    model.Remove("body", "ball");
    model.Remove("site", "target");
  }
  if (task != "escape") {
    model.Remove("geom", "terrain");
    model.Remove("rangefinder");
  }
  return model.Text();
}

// Where the numbers of all sensors of two types are.
std::vector<int> SensorsOf(const mjModel& model, mjtSensor one, mjtSensor other) {
  std::vector<int> places;
  for (int sensor = 0; sensor < static_cast<int>(model.nsensor); ++sensor) {
    if (model.sensor_type[sensor] != one && model.sensor_type[sensor] != other) continue;
    for (int i = 0; i < model.sensor_dim[sensor]; ++i) {
      places.push_back(model.sensor_adr[sensor] + i);
    }
  }
  return places;
}

class Quadruped final : public SuiteEnv {
 public:
  explicit Quadruped(const Setup& setup) : SuiteEnv(setup) {
    const auto heights = static_cast<std::size_t>(World().Model().nhfielddata);
    if (escapes_) heights_ = World().Own(&mjModel::hfield_data, heights);
    if (!fetches_) return;
    ball_ = World().Body("ball");
    target_ = World().Site("target");
  }

 private:
  void InitializeEpisode(RandomState& random) override {
    if (fetches_) return InitializeFetch(random);
    if (escapes_) {
      const auto side = static_cast<std::size_t>(World().Model().hfield_nrow[0]);
      std::ranges::transform(DrawTerrain(random, side, 2.0 * TerrainRadius()).values,
                             heights_.begin(),
                             [](double height) { return static_cast<float>(height); });
    }
    LiftUntilNothingTouches(DrawDirection<4>(random), 0.0, 0.0);
  }

  void InitializeFetch(RandomState& random) {
    const double azimuth = random.Uniform(0.0, 2.0 * std::numbers::pi);
    const Quaternion rotation = {std::cos(azimuth / 2.0), 0.0, 0.0, std::sin(azimuth / 2.0)};
    const double radius = 0.9 * World().GeomSize("floor");
    const double x = random.Uniform(-radius, radius);
    const double y = random.Uniform(-radius, radius);
    LiftUntilNothingTouches(rotation, x, y);
    double* const qpos = World().Data().qpos + World().JointPosition("ball_root");
    double* const qvel = World().Data().qvel + World().JointVelocity("ball_root");
    qpos[0] = random.Uniform(-radius, radius);
    qpos[1] = random.Uniform(-radius, radius);
    qpos[2] = 2.0;
    qvel[0] = 5.0 * random.Normal();
    qvel[1] = 5.0 * random.Normal();
  }

  // From within the floor, in steps of a centimeter.
  void LiftUntilNothingTouches(const Quaternion& rotation, double x, double y) {
    constexpr int kMostAttempts = 10'000;
    double z = 0.0;
    const auto place = [&] {
      double* const qpos = World().Data().qpos + World().JointPosition("root");
      qpos[0] = x;
      qpos[1] = y;
      qpos[2] = z;
      std::ranges::copy(rotation, qpos + 3);
    };
    // dm_control computes all forces at each height. But the next reset forgets them.
    for (int i = 0; World().ContactsAfterReset(place) != 0; ++i) {
      if (i == kMostAttempts) throw std::runtime_error("found no height in which nothing touches");
      z += 0.01;
    }
    World().ResetWhateverComes();
    place();
    World().AfterResetWhateverComes();
  }

  double Reward() override {
    if (escapes_) return UprightReward(20.0) * EscapeReward();
    return UprightReward(0.0) * (fetches_ ? FetchReward() : MoveReward());
  }

  double EscapeReward() const {
    return ToleranceOfElement(Norm(World().SitePosition(workspace_)),
                              LinearFrom(TerrainRadius(), TerrainRadius(), 0.0));
  }

  double UprightReward(double degrees) const {
    const double deviation = std::cos(degrees * (std::numbers::pi / 180.0));
    return ToleranceOfElement(Upright(), LinearFrom(deviation, 1.0 + deviation, 0.0));
  }

  double MoveReward() const {
    return Tolerance(World().SensorData(velocimeter_)[0], LinearFrom(speed_, speed_, 0.5));
  }

  double FetchReward() const {
    const mjModel& model = World().Model();
    const double arena = World().GeomSize("floor") * std::sqrt(2.0);
    const auto near = [arena](double distance, double radius) {
      return Tolerance(
          distance,
          {.high = radius, .margin = arena, .sigmoid = Sigmoid::kLinear, .value_at_margin = 0.0});
    };
    const double reach = near(FromBall(World().SitePosition(workspace_)),
                              model.site_size[3 * workspace_] + World().GeomSize("ball"));
    const double fetch =
        near(FromBall(World().SitePosition(target_)), model.site_size[3 * target_]);
    return reach * (0.5 + 0.5 * fetch);
  }

  // The horizontal distance of a place.
  double FromBall(const Vector& place) const {
    const Vector difference = Difference(place, World().BodyPosition(ball_));
    return Norm(std::array{difference[0], difference[1]});
  }

  void WriteObservation(Observation& out) override {
    WriteEgocentricState(out[kEgocentricState]);
    Write(out[kTorsoVelocity], {World().SensorData(velocimeter_), 3});
    out[kTorsoUpright][0] = Upright();
    for (std::size_t i = 0; i < imu_.size(); ++i) out[kImu][i] = *World().SensorData(imu_[i]);
    for (std::size_t i = 0; i < force_torque_.size(); ++i) {
      out[kForceTorque][i] = numerics::Arcsinh(*World().SensorData(force_torque_[i]));
    }
    if (escapes_) WriteSurroundings(out);
    if (!fetches_) return;
    WriteBallState(out[kBallState]);
    Write(out[kTargetPosition],
          InFrame(Difference(World().SitePosition(target_), World().BodyPosition(torso_)),
                  World().BodyFrame(torso_)));
  }

  // Angles and velocities of all hinges, and the actuators' states.
  void WriteEgocentricState(std::span<double> out) const {
    const auto actuators = static_cast<std::size_t>(World().Model().na);
    const std::size_t hinges = (out.size() - actuators) / 2;
    WriteHinges(out, out.subspan(hinges));
    Write(out.subspan(2 * hinges), {World().Data().act, actuators});
  }

  void WriteSurroundings(Observation& out) const {
    const Vector place = InFrame(World().BodyPosition(torso_), World().BodyFrame(torso_));
    Write(out[kOrigin], std::array{-place[0], -place[1], -place[2]});
    for (std::size_t i = 0; i < rangefinders_.size(); ++i) {
      const double distance = *World().SensorData(rangefinders_[i]);  // -1: to nothing
      out[kRangefinder][i] = distance == -1.0 ? 1.0 : numerics::Tanh(distance);
    }
  }

  // Position, velocity and rotation of the ball in the torso's frame.
  void WriteBallState(std::span<double> out) const {
    const double* const velocity = World().Data().qvel + World().JointVelocity("ball_root");
    const double* const own = World().Data().qvel + World().JointVelocity("root");
    const std::array rows = {Difference(World().BodyPosition(ball_), World().BodyPosition(torso_)),
                             Difference(VectorAt(velocity), VectorAt(own)), VectorAt(velocity + 3)};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Write(out.subspan(3 * i, 3), RowInFrame(rows[i], World().BodyFrame(torso_)));
    }
  }

  double Upright() const { return World().BodyFrame(torso_, 2, 2); }
  double TerrainRadius() const { return World().Model().hfield_size[0]; }

  const bool escapes_ = Is("escape");
  const bool fetches_ = Is("fetch");
  const double speed_ = Is("run") ? kRunSpeed : kWalkSpeed;  // to be reached, m/s
  const int torso_ = World().Body("torso");
  const int workspace_ = World().Site("workspace");
  const int velocimeter_ = World().Sensor("velocimeter");
  const std::vector<int> imu_ = SensorsOf(World().Model(), mjSENS_GYRO, mjSENS_ACCELEROMETER);
  const std::vector<int> force_torque_ = SensorsOf(World().Model(), mjSENS_FORCE, mjSENS_TORQUE);
  const std::vector<int> rangefinders_ =
      SensorsOf(World().Model(), mjSENS_RANGEFINDER, mjSENS_RANGEFINDER);
  std::span<float> heights_;  // of the terrain
  int ball_ = -1;
  int target_ = -1;
};

Keys KeysOf(const std::string& task) {
  std::vector<std::size_t> own = {kEgocentricState, kTorsoVelocity, kTorsoUpright, kImu,
                                  kForceTorque};
  if (task == "escape") own.insert(own.end(), {kOrigin, kRangefinder});
  if (task == "fetch") own.insert(own.end(), {kBallState, kTargetPosition});
  return {{{"egocentric_state", {44}},
           {"torso_velocity", {3}},
           {"torso_upright", {}},
           {"imu", {6}},
           {"force_torque", {24}},
           {"origin", {3}},
           {"rangefinder", {20}},
           {"ball_state", {9}},
           {"target_position", {3}}},
          own};
}

// Each leg is turned, lifted and extended.
Actuators ActuatorsOf(const std::string&) {
  constexpr int kLegs = 4;
  Actuators actuators;
  for (int leg = 0; leg < kLegs; ++leg) {
    actuators.low.insert(actuators.low.end(), {-1.0, -1.0, -0.8});
    actuators.high.insert(actuators.high.end(), {1.0, 1.1, 0.8});
  }
  return actuators;
}

[[maybe_unused]] const bool registered = RegisterDomain<Quadruped>({
    .name = "Quadruped",
    .frame_skip = 4,
    .tasks = {"walk", "run", "escape", "fetch"},
    .keys = KeysOf,
    .actuators = ActuatorsOf,
    .xml = Xml,
});

}  // namespace
}  // namespace envpool::dm_control::quadruped
