// HumanoidCMU: stand, walk or run on two legs, with the joints of motion capture.
#include "dm_control/domains/humanoid_task.h"

namespace envpool::dm_control {
namespace {

constexpr Anatomy kAnatomy = {.torso = "thorax",
                              .velocity = "thorax_subtreelinvel",
                              .limbs = {"lhand", "lfoot", "rhand", "rfoot"},
                              .up = 1,
                              .velocity_key = HumanoidTask::kPosition};  // which it has not

[[maybe_unused]] const bool registered = RegisterDomain<HumanoidTask>(
    {
        .name = "HumanoidCMU",
        .frame_skip = 10,
        .tasks = {"stand", "walk", "run"},
        .keys = ForAll(CommonKeys({{"joint_angles", {56}},
                                   {"head_height", {}},
                                   {"extremities", {12}},
                                   {"torso_vertical", {3}},
                                   {"com_velocity", {3}},
                                   {"velocity", {62}}})),
        .actuators = ForAll(Symmetric(56)),
        .xml = ModelFile("humanoid_CMU.xml"),
    },
    kAnatomy);

}  // namespace
}  // namespace envpool::dm_control
