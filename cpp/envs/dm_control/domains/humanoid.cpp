// Humanoid: stand, walk or run on two legs.
#include "dm_control/domains/humanoid_task.h"

namespace envpool::dm_control {
namespace {

constexpr Anatomy kAnatomy = {.torso = "torso",
                              .velocity = "torso_subtreelinvel",
                              .limbs = {"left_hand", "left_foot", "right_hand", "right_foot"},
                              .up = 2,
                              .velocity_key = HumanoidTask::kVelocity};

class Humanoid final : public HumanoidTask {
 public:
  explicit Humanoid(const Setup& setup) : HumanoidTask(setup, kAnatomy) {}
};

Keys KeysOf(const std::string& task) {
  std::vector<std::size_t> own = {Humanoid::kJointAngles, Humanoid::kHeadHeight,
                                  Humanoid::kExtremities, Humanoid::kTorsoVertical,
                                  Humanoid::kComVelocity, Humanoid::kVelocity};
  if (task == "run_pure_state") own = {Humanoid::kPosition, Humanoid::kVelocity};
  return {{{"joint_angles", {21}},
           {"head_height", {}},
           {"extremities", {12}},
           {"torso_vertical", {3}},
           {"com_velocity", {3}},
           {"position", {28}},
           {"velocity", {27}}},
          own};
}

[[maybe_unused]] const bool registered = RegisterDomain<Humanoid>({
    .name = "Humanoid",
    .frame_skip = 5,
    .tasks = {"stand", "walk", "run", "run_pure_state"},
    .keys = KeysOf,
    .actuators = [](const std::string&) { return Symmetric(21); },
    .xml = ModelFile("humanoid.xml"),
});

}  // namespace
}  // namespace envpool::dm_control
