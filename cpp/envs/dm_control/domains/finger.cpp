// Finger: spin a body, or turn its tip into a target.
//
// Follows dm_control/suite/finger.py.
#include <array>
#include <cmath>
#include <numbers>

#include "dm_control/suite_env.h"
#include "envpool/numpy_math.h"
#include "numerics/loops.h"

namespace envpool::dm_control::finger {
namespace {

enum : std::size_t { kPosition, kVelocity, kTouch, kTargetPosition, kDistToTarget };

// In the plane in which all moves, x and z.
using Place = std::array<double, 2>;

class Finger final : public SuiteEnv {
 public:
  explicit Finger(const Setup& setup) : SuiteEnv(setup) {
    const auto sites = static_cast<std::size_t>(World().Model().nsite);
    if (spins_) {
      damping_ = World().Own(&mjModel::dof_damping, World().Qvel().size());
      const std::span<float> colors = World().Own(&mjModel::site_rgba, 4 * sites);
      for (const char* hidden : {"target", "tip"}) {
        colors[4 * static_cast<std::size_t>(World().Site(hidden)) + 3] = 0.0F;
      }
    } else {
      site_pos_ = World().Own(&mjModel::site_pos, 3 * sites);
      site_size_ = World().Own(&mjModel::site_size, 3 * sites);
    }
  }

 private:
  void InitializeEpisode(RandomState& random) override {
    if (spins_) {
      damping_[static_cast<std::size_t>(World().JointVelocity("hinge"))] = 0.03;
    } else {
      PlaceTarget(random);
    }
    constexpr int kMostAttempts = 1000;
    DrawUntilNothingTouches([&] { RandomizeJoints(random); }, kMostAttempts);
  }

  void PlaceTarget(RandomState& random) {
    const double angle = random.Uniform(-std::numbers::pi, std::numbers::pi);
    const double* const hinge = World().Data().xanchor + 3 * World().Joint("hinge");
    const double* const cap = World().Model().geom_size + 3 * World().Geom("cap1");
    const double radius = numpy::Sum(3, [cap](std::size_t i) { return cap[i]; });
    const std::size_t target = 3 * static_cast<std::size_t>(target_);
    site_pos_[target] = hinge[0] + radius * std::sin(angle);
    site_pos_[target + 2] = hinge[2] + radius * std::cos(angle);
    site_size_[target] = target_size_;
  }

  double Reward() override {
    constexpr double kSpeed = 15.0;  // radians per second
    const bool succeeds = spins_ ? Sensor("hinge_velocity") <= -kSpeed : DistToTarget() <= 0.0;
    return succeeds ? 1.0 : 0.0;
  }

  void WriteObservation(Observation& out) override {
    const Place tip = FromSpinner("tip");
    Write(out[kPosition], std::array{Sensor("proximal"), Sensor("distal"), tip[0], tip[1]});
    Write(out[kVelocity], std::array{Sensor("proximal_velocity"), Sensor("distal_velocity"),
                                     Sensor("hinge_velocity")});
    Write(out[kTouch],
          std::array{numerics::Log1p(Sensor("touchtop")), numerics::Log1p(Sensor("touchbottom"))});
    if (spins_) return;
    Write(out[kTargetPosition], FromSpinner("target"));
    out[kDistToTarget][0] = DistToTarget();
  }

  double DistToTarget() const {
    const Place target = FromSpinner("target");
    const Place tip = FromSpinner("tip");
    return Norm(Place{target[0] - tip[0], target[1] - tip[1]}) -
           World().Model().site_size[3 * target_];
  }

  Place FromSpinner(const char* name) const {
    const double* const position = World().SensorData(World().Sensor(name));
    const double* const spinner = World().SensorData(World().Sensor("spinner"));
    return {position[0] - spinner[0], position[2] - spinner[2]};
  }

  double Sensor(const char* name) const { return *World().SensorData(World().Sensor(name)); }

  const bool spins_ = Is("spin");
  const double target_size_ = Is("turn_easy") ? 0.07 : 0.03;
  const int target_ = World().Site("target");
  // The parts of the model that this task writes.
  std::span<double> damping_;
  std::span<double> site_pos_;
  std::span<double> site_size_;
};

[[maybe_unused]] const bool registered = RegisterDomain<Finger>({
    .name = "Finger",
    .frame_skip = 2,
    .tasks = {"spin", "turn_easy", "turn_hard"},
    .keys =
        [](const std::string& task) {
          Keys keys = CommonKeys({{"position", {4}},
                                  {"velocity", {3}},
                                  {"touch", {2}},
                                  {"target_position", {2}},
                                  {"dist_to_target", {}}});
          if (task == "spin") keys.own = {kPosition, kVelocity, kTouch};
          return keys;
        },
    .actuators = ForAll(Symmetric(2)),
    .xml = ModelFile("finger.xml"),
});

}  // namespace
}  // namespace envpool::dm_control::finger
