// Humanoid: stand, walk or run on two legs.
#include "dm_control/domains/humanoid_task.h"

namespace envpool::dm_control {
namespace {

constexpr Anatomy kAnatomy = {.torso = "torso",
                              .velocity = "torso_subtreelinvel",
                              .limbs = {"left_hand", "left_foot", "right_hand", "right_foot"},
                              .up = 2,
                              .velocity_key = HumanoidTask::kVelocity};

Keys KeysOf(const std::string& task) {
  std::vector<std::size_t> own = {HumanoidTask::kJointAngles, HumanoidTask::kHeadHeight,
                                  HumanoidTask::kExtremities, HumanoidTask::kTorsoVertical,
                                  HumanoidTask::kComVelocity, HumanoidTask::kVelocity};
  if (task == "run_pure_state") own = {HumanoidTask::kPosition, HumanoidTask::kVelocity};
  return {{{"joint_angles", {21}},
           {"head_height", {}},
           {"extremities", {12}},
           {"torso_vertical", {3}},
           {"com_velocity", {3}},
           {"position", {28}},
           {"velocity", {27}}},
          own};
}

[[maybe_unused]] const bool registered = RegisterDomain<HumanoidTask>(
    {
        .name = "Humanoid",
        .frame_skip = 5,
        .tasks = {"stand", "walk", "run", "run_pure_state"},
        .keys = KeysOf,
        .actuators = ForAll(Symmetric(21)),
        .xml = ModelFile("humanoid.xml"),
    },
    kAnatomy);

}  // namespace
}  // namespace envpool::dm_control
