// Hopper: hop on one leg, in a plane.
#include <algorithm>

#include "mujoco_gym/planar_walker.h"

namespace envpool::mujoco {
namespace {

class Hopper final : public PlanarWalker {
 public:
  using PlanarWalker::PlanarWalker;

 protected:
  bool IsHealthy() const override {
    const auto is_in_range = [this](double x) {
      return healthy_state_.low < x && x < healthy_state_.high;
    };
    // The state is qpos and qvel, without the first two.
    return PlanarWalker::IsHealthy() &&
           std::ranges::all_of(World().Qpos().subspan(2), is_in_range) &&
           std::ranges::all_of(World().Qvel(), is_in_range);
  }

 private:
  const Range healthy_state_ = ReadRange(options_, "healthy_state_range");
};

std::vector<OptionSpec> HopperOptions() {
  std::vector<OptionSpec> options = PlanarWalker::WalkerOptions({0.7, kInfinity}, {-0.2, 0.2});
  options.push_back({"healthy_state_range", std::vector{-100.0, 100.0},
                     "numbers of the state at which it is healthy", kAnyNumber});
  return options;
}

[[maybe_unused]] const bool registered = RegisterMujoco<Hopper>({
    .name = "GymHopper",
    .xml_file = "hopper.xml",
    .frame_skip = 4,
    .camera = {"trackbodyid=2", "distance=3", "lookat=0,0,1.15", "elevation=-20"},
    .options = HopperOptions(),
});

}  // namespace
}  // namespace envpool::mujoco
