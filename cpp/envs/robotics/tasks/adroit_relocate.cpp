// AdroitHandRelocate: carry a ball to a target.
//
// Follows gymnasium_robotics/envs/adroit_hand/adroit_relocate.py.
#include "robotics/adroit_hand.h"

namespace envpool::robotics::adroit_relocate {
namespace {

class AdroitRelocate final : public AdroitHand {
 public:
  using AdroitHand::AdroitHand;

 protected:
  void DrawEpisode(Random& random) override {
    ball_start_[0] = random.Uniform(-0.15, 0.15);
    ball_start_[1] = random.Uniform(-0.15, 0.3);
    target_place_[0] = random.Uniform(-0.2, 0.2);
    target_place_[1] = random.Uniform(-0.2, 0.2);
    target_place_[2] = random.Uniform(0.15, 0.35);
  }

  void SetEpisode(Parts parts) override {
    std::ranges::copy(parts[0], ball_start_.begin());
    std::ranges::copy(parts[1], target_place_.begin());
  }

  void WriteObservation(ObservationWriter& out) const override {
    const std::span<const double> positions = World().Qpos();
    const Vector ball = BodyPosition(ball_);
    const Vector palm = SitePosition(palm_);
    const Vector target = SitePosition(target_);
    out.Add(positions.first(positions.size() - 6))
        .Add(Difference(palm, ball))
        .Add(Difference(palm, target))
        .Add(Difference(ball, target));
  }

  Outcome Judge() const override {
    const double distance = Distance(BodyPosition(ball_), SitePosition(target_));
    return {.distance = distance, .is_success = distance < 0.1};
  }

  double DenseReward(const Outcome& outcome) const override {
    const Vector ball = BodyPosition(ball_);
    const Vector palm = SitePosition(palm_);
    double reward = 0.1 * Distance(palm, ball);
    if (ball[2] > 0.04) {
      reward += 1.0;
      reward += -0.5 * Distance(palm, SitePosition(target_));
      reward += -0.5 * outcome.distance;
    }
    if (outcome.distance < 0.1) reward += 10.0;
    if (outcome.distance < 0.05) reward += 20.0;
    return reward;
  }

 private:
  const int ball_ = World().Body("Object");
  const int palm_ = World().Site("S_grasp");
  const int target_ = World().Site("target");
  const std::span<double> ball_start_ =
      World().OwnRow(&mjModel::body_pos, World().Model().nbody, ball_, 3);
  const std::span<double> target_place_ =
      World().OwnRow(&mjModel::site_pos, World().Model().nsite, target_, 3);
};

[[maybe_unused]] const bool registered = RegisterAdroit<AdroitRelocate>({
    .name = "Relocate",
    .xml_file = "adroit_hand/adroit_relocate.xml",
    .actuators = 30,
    .observation = 39,
    .state = {{"qpos", 36}, {"qvel", 36}, {"obj_pos", 3}, {"target_pos", 3}},
    .camera = {"distance=1.5", "azimuth=90"},
});

}  // namespace
}  // namespace envpool::robotics::adroit_relocate
