// HumanoidCMU: stand, walk or run on two legs, with the joints of motion capture.
#include "dm_control/domains/humanoid_task.h"

namespace envpool::dm_control {
namespace {

constexpr Anatomy kAnatomy = {.torso = "thorax",
                              .velocity = "thorax_subtreelinvel",
                              .limbs = {"lhand", "lfoot", "rhand", "rfoot"},
                              .up = 1,
                              .velocity_key = HumanoidTask::kPosition};  // which it has not

class HumanoidCMU final : public HumanoidTask {
 public:
  explicit HumanoidCMU(const Setup& setup) : HumanoidTask(setup, kAnatomy) {}
};

[[maybe_unused]] const bool registered = RegisterDomain<HumanoidCMU>({
    .name = "HumanoidCMU",
    .frame_skip = 10,
    .tasks = {"stand", "walk", "run"},
    .keys =
        [](const std::string&) {
          return CommonKeys({{"joint_angles", {56}},
                             {"head_height", {}},
                             {"extremities", {12}},
                             {"torso_vertical", {3}},
                             {"com_velocity", {3}},
                             {"velocity", {62}}});
        },
    .actuators = [](const std::string&) { return Symmetric(56); },
    .xml = ModelFile("humanoid_CMU.xml"),
});

}  // namespace
}  // namespace envpool::dm_control
