// AdroitHandDoor: undo a latch and swing a door open.
//
// Follows gymnasium_robotics/envs/adroit_hand/adroit_door.py.
#include "envpool/numpy_math.h"
#include "robotics/adroit_hand.h"

namespace envpool::robotics::adroit_door {
namespace {

class AdroitDoor final : public AdroitHand {
 public:
  using AdroitHand::AdroitHand;

 protected:
  void DrawEpisode(Random& random) override {
    frame_[0] = random.Uniform(-0.3, -0.2);
    frame_[1] = random.Uniform(0.25, 0.35);
    frame_[2] = random.Uniform(0.252, 0.35);
  }

  void SetEpisode(Parts parts) override { std::ranges::copy(parts[0], frame_.begin()); }

  void WriteObservation(ObservationWriter& out) const override {
    const std::span<const double> positions = World().Qpos();
    const Vector palm = SitePosition(palm_);
    const Vector handle = SitePosition(handle_);
    out.Add(positions.subspan(1, positions.size() - 3))
        .Add(positions.back())  // the latch
        .Add(Angle())
        .Add(palm)
        .Add(handle)
        .Add(Difference(palm, handle))
        .Add(Angle() > 1.0 ? 1.0 : -1.0);
  }

  // Here the distance is the door's angle.
  Outcome Judge() const override { return {.distance = Angle(), .is_success = Angle() >= 1.35}; }

  double DenseReward(const Outcome& outcome) const override {
    const double angle = outcome.distance;
    double reward = 0.1 * Distance(SitePosition(palm_), SitePosition(handle_));
    reward += -0.1 * (angle - 1.57) * (angle - 1.57);
    reward += -1e-5 * numpy::SumOfSquares(World().Qvel());
    if (angle > 0.2) reward += 2.0;
    if (angle > 1.0) reward += 8.0;
    if (angle > 1.35) reward += 10.0;
    return reward;
  }

 private:
  double Angle() const { return World().Qpos()[hinge_]; }

  const std::size_t hinge_ = static_cast<std::size_t>(World().JointVelocity("door_hinge"));
  const int palm_ = World().Site("S_grasp");
  const int handle_ = World().Site("S_handle");
  // Where the door is.
  const std::span<double> frame_ =
      World().OwnRow(&mjModel::body_pos, World().Model().nbody, World().Body("frame"), 3);
};

[[maybe_unused]] const bool registered = RegisterAdroit<AdroitDoor>({
    .name = "Door",
    .xml_file = "adroit_hand/adroit_door.xml",
    .actuators = 28,
    .observation = 39,
    .state = {{"qpos", 30}, {"qvel", 30}, {"door_body_pos", 3}},
    .camera = {"distance=1.5", "azimuth=90"},
});

}  // namespace
}  // namespace envpool::robotics::adroit_door
