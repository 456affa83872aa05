// PointMass: move a ball in a plane to its middle; in the hard task, actuators pull anywhere.
//
// Follows dm_control/suite/point_mass.py.
#include <array>
#include <cmath>

#include "dm_control/suite_env.h"

namespace envpool::dm_control::point_mass {
namespace {

using Direction = std::array<double, 2>;

class PointMass final : public SuiteEnv {
 public:
  explicit PointMass(const Setup& setup) : SuiteEnv(setup) {
    if (randomizes_gains_) {
      gains_ = World().Own(&mjModel::wrap_prm, static_cast<std::size_t>(World().Model().nwrap));
    }
  }

 private:
  void InitializeEpisode(RandomState& random) override {
    RandomizeJoints(random);
    if (!randomizes_gains_) return;
    const Direction first = DrawDirection<2>(random);
    Direction second;
    do {
      second = DrawDirection<2>(random);
    } while (std::abs(Dot(first, second)) > 0.9);
    std::ranges::copy(first, gains_.begin());
    std::ranges::copy(second, gains_.begin() + 2);
  }

  double Reward() override {
    const double size = World().Model().geom_size[3 * target_];
    const double distance = Distance(World().GeomPosition(target_), World().GeomPosition(mass_));
    const double near_target = Tolerance(distance, {.high = size, .margin = size});
    return near_target * SmallControl();
  }

  const bool randomizes_gains_ = Is("hard");
  const int target_ = World().Geom("target");
  const int mass_ = World().Geom("pointmass");
  std::span<double> gains_;  // of both tendons, for each of both joints
};

[[maybe_unused]] const bool registered = RegisterDomain<PointMass>({
    .name = "PointMass",
    .frame_skip = 1,
    .tasks = {"easy", "hard"},
    .keys = ForAll(CommonKeys({{"position", {2}}, {"velocity", {2}}})),
    .actuators = ForAll(Symmetric(2)),
    .xml = ModelFile("point_mass.xml"),
});

}  // namespace
}  // namespace envpool::dm_control::point_mass
