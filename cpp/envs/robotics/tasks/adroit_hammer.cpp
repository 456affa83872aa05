// AdroitHandHammer: pick up a hammer and drive a nail into a board.
//
// Follows gymnasium_robotics/envs/adroit_hand/adroit_hammer.py.
#include <cmath>

#include "envpool/numpy_math.h"
#include "numerics/loops.h"
#include "robotics/adroit_hand.h"
#include "robotics/rotations.h"

namespace envpool::robotics::adroit_hammer {
namespace {

class AdroitHammer final : public AdroitHand {
 public:
  using AdroitHand::AdroitHand;

 protected:
  void DrawEpisode(Random& random) override { board_[2] = random.Uniform(0.1, 0.25); }

  void SetEpisode(Parts parts) override { std::ranges::copy(parts[0], board_.begin()); }

  void WriteObservation(ObservationWriter& out) const override {
    const RobotWorld& world = World();
    const std::span<const double> positions = world.Qpos();
    out.Add(positions.first(positions.size() - 6));
    for (const double velocity : world.Qvel().last(6)) out.Add(numpy::Clip(velocity, -1.0, 1.0));
    out.Add(SitePosition(palm_))
        .Add(BodyPosition(hammer_))
        .Add(EulerOfQuaternion(HammerTurn()))
        .Add(SitePosition(nail_))
        .Add(numpy::Clip(world.Data().sensordata[impact_], -1.0, 1.0));
  }

  Outcome Judge() const override {
    const double distance = Distance(SitePosition(nail_), SitePosition(goal_));
    return {.distance = distance, .is_success = distance < 0.01};
  }

  double DenseReward(const Outcome& outcome) const override {
    const Vector hammer = BodyPosition(hammer_);
    const Vector head = SitePosition(head_);
    double reward = 0.1 * Distance(SitePosition(palm_), hammer);
    reward -= Distance(head, SitePosition(nail_));
    reward -= 10.0 * outcome.distance;
    reward -= 1e-2 * Speed();
    if (hammer[2] > 0.04 && head[2] > 0.04) reward += 2.0;
    if (outcome.distance < 0.02) reward += 25.0;
    if (outcome.distance < 0.01) reward += 75.0;
    return reward;
  }

 private:
  Quaternion HammerTurn() const {
    const double* turn = World().Data().xquat + 4 * hammer_;
    return {turn[0], turn[1], turn[2], turn[3]};
  }

  // numpy.linalg.norm of all velocities, too many for numerics::Norm.
  double Speed() const {
    const std::span<const double> velocities = World().Qvel();
    double square = 0.0;
    numerics::MatrixTimesVector(velocities, velocities, {&square, 1});
    return std::sqrt(square);
  }

  const int hammer_ = World().Body("Object");
  const int head_ = World().Site("tool");
  const int palm_ = World().Site("S_grasp");
  const int nail_ = World().Site("S_target");
  const int goal_ = World().Site("nail_goal");
  // The sensor, which the original takes for its place among sensors' data.
  const int impact_ = World().Find(mjOBJ_SENSOR, "S_nail");
  // Where the board is.
  const std::span<double> board_ =
      World().OwnRow(&mjModel::body_pos, World().Model().nbody, World().Body("nail_board"), 3);
};

[[maybe_unused]] const bool registered = RegisterAdroit<AdroitHammer>({
    .name = "Hammer",
    .xml_file = "adroit_hand/adroit_hammer.xml",
    .actuators = 26,
    .observation = 46,
    .state = {{"qpos", 33}, {"qvel", 33}, {"board_pos", 3}},
    .camera = {"distance=2", "azimuth=45"},
});

}  // namespace
}  // namespace envpool::robotics::adroit_hammer
