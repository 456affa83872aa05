// AdroitHandPen: turn a pen in the hand until it points as another one does.
//
// Follows gymnasium_robotics/envs/adroit_hand/adroit_pen.py.
#include "robotics/adroit_hand.h"
#include "robotics/rotations.h"

namespace envpool::robotics::adroit_pen {
namespace {

class AdroitPen final : public AdroitHand {
 public:
  using AdroitHand::AdroitHand;

 protected:
  void DrawEpisode(Random& random) override {
    const double x = random.Uniform(-1.0, 1.0);
    const double y = random.Uniform(-1.0, 1.0);
    std::ranges::copy(QuaternionOfEuler({x, y, 0.0}), target_.begin());
  }

  void SetEpisode(Parts parts) override { std::ranges::copy(parts[0], target_.begin()); }

  void NoteBeginning() override {
    pen_length_ = numerics::Norm(Along(pen_ends_));
    target_length_ = numerics::Norm(Along(target_ends_));
  }

  void WriteObservation(ObservationWriter& out) const override {
    const RobotWorld& world = World();
    const std::span<const double> positions = world.Qpos();
    const Vector pen = BodyPosition(pen_);
    const Vector direction = Direction();
    const Vector target = TargetDirection();
    out.Add(positions.first(positions.size() - 6))
        .Add(pen)
        .Add(world.Qvel().last(6))
        .Add(direction)
        .Add(target)
        .Add(Difference(pen, SitePosition(place_)))
        .Add(Difference(direction, target));
  }

  Outcome Judge() const override {
    const double distance = Distance(BodyPosition(pen_), SitePosition(place_));
    return {.distance = distance, .is_success = distance < 0.075 && Similarity() > 0.95};
  }

  double DenseReward(const Outcome& outcome) const override {
    const double similarity = Similarity();
    double reward = -outcome.distance + similarity;
    if (outcome.distance < 0.075 && similarity > 0.9) reward += 10.0;
    if (outcome.distance < 0.075 && similarity > 0.95) reward += 50.0;
    if (BodyPosition(pen_)[2] < 0.075) reward -= 5.0;
    return reward;
  }

  void SerializeMore(Archive& archive) override {
    AdroitHand::SerializeMore(archive);
    archive(pen_length_, target_length_);
  }

 private:
  struct Ends {
    int top;
    int bottom;
  };

  Vector Along(const Ends& ends) const {
    return Difference(SitePosition(ends.top), SitePosition(ends.bottom));
  }
  Vector Direction() const { return Scaled(Along(pen_ends_), pen_length_); }
  Vector TargetDirection() const { return Scaled(Along(target_ends_), target_length_); }
  double Similarity() const { return numerics::Dot(Direction(), TargetDirection()); }

  static Vector Scaled(const Vector& vector, double length) {
    return {vector[0] / length, vector[1] / length, vector[2] / length};
  }

  const int pen_ = World().Body("Object");
  const int place_ = World().Site("eps_ball");  // where the pen is to stay
  const Ends pen_ends_{World().Site("object_top"), World().Site("object_bottom")};
  const Ends target_ends_{World().Site("target_top"), World().Site("target_bottom")};
  // How the target is turned.
  const std::span<double> target_ =
      World().OwnRow(&mjModel::body_quat, World().Model().nbody, World().Body("target"), 4);
  // As they are when an episode was drawn.
  double pen_length_ = 1.0;
  double target_length_ = 1.0;
};

[[maybe_unused]] const bool registered = RegisterAdroit<AdroitPen>({
    .name = "Pen",
    .xml_file = "adroit_hand/adroit_pen.xml",
    .actuators = 24,
    .observation = 45,
    .state = {{"qpos", 30}, {"qvel", 30}, {"desired_orien", 4}},
    .camera = {"distance=1", "azimuth=-45"},
});

}  // namespace
}  // namespace envpool::robotics::adroit_pen
