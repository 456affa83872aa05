// HumanoidBody: what Humanoid and HumanoidStandup have in common: the body, and what it observes.
//
// Follows gymnasium/envs/mujoco/humanoid_v4.py, humanoid_v5.py, humanoidstandup_v4.py and
// humanoidstandup_v5.py.
#pragma once

#include <vector>

#include "envpool/numpy_math.h"
#include "mujoco_gym/mujoco_env.h"

namespace envpool::mujoco {

class HumanoidBody : public MujocoEnv {
 public:
  explicit HumanoidBody(const Options& options) : MujocoEnv(options) {
    Require(3, 6);
    NeedContactForces();
  }

  static std::vector<OptionSpec> BodyOptions(std::vector<OptionSpec> own) {
    const std::vector<OptionSpec> common = {
        {"exclude_current_positions_from_observation", true, "leave out x and y"},
        {"include_cinert_in_observation", true, "observe the bodies' inertias"},
        {"include_cvel_in_observation", true, "observe the bodies' velocities"},
        {"include_qfrc_actuator_in_observation", true, "observe the actuators' forces"},
        {"include_cfrc_ext_in_observation", true, "observe contact forces"},
        {"exclude_worldbody_observations", true, "leave out the world among the bodies"},
        {"exclude_root_actuator_forces", true, "leave out the root's six, which are 0"}};
    own.insert(own.end(), common.begin(), common.end());
    return own;
  }

 protected:
  // Returns the place of the first of both tendons' fields among the infos of version 5.
  virtual std::size_t FirstTendonInfo() const = 0;
  // Two arrays with a number per tendon, at resets as well.
  static void AddTendonInfos(const Options& options, std::vector<Field>& infos) {
    const int tendons = static_cast<int>(ModelOf(options)->ntendon);
    infos.push_back(Box("tendon_length", DType::kFloat64, {tendons}));
    infos.push_back(Box("tendon_velocity", DType::kFloat64, {tendons}));
  }
  void WriteInfo(const Row& row) const final {
    if (version_ == 4) return MujocoEnv::WriteInfo(row);
    const std::size_t first = FirstTendonInfo();
    for (std::size_t i = 0; i < info_.size(); ++i) {
      row.Info<double>(i < first ? i : i + 2)[0] = info_[i];
    }
    const auto tendons = static_cast<std::size_t>(World().Model().ntendon);
    std::copy_n(State().ten_length, tendons, row.Info<double>(first).begin());
    std::copy_n(State().ten_velocity, tendons, row.Info<double>(first + 1).begin());
  }

  double SumOfSquaredControls() const { return numpy::SumOfSquares(World().Control()); }
  double SumOfSquaredContacts() const { return numpy::SumOfSquares(World().ContactForces()); }
  std::size_t Nbody() const { return static_cast<std::size_t>(World().Model().nbody); }

  void ResetModel(Random& random) override { ResetWithUniformNoise(random); }

  void WriteObservation(ObservationWriter& out) const override {
    const std::size_t bodies = Nbody() - skipped_bodies_;
    out.Add(World().Qpos().subspan(skipped_positions_));
    out.Add(World().Qvel());
    if (observes_inertia_) out.Add({State().cinert + 10 * skipped_bodies_, 10 * bodies});
    if (observes_velocity_) out.Add({State().cvel + 6 * skipped_bodies_, 6 * bodies});
    if (observes_actuators_) {
      const std::span<const double> forces(State().qfrc_actuator, World().Qvel().size());
      out.Add(forces.subspan(skipped_forces_));
    }
    if (observes_contacts_) out.Add(World().ContactForces().subspan(6 * skipped_bodies_));
  }

 private:
  const bool observes_inertia_ = options_.Flag("include_cinert_in_observation");
  const bool observes_velocity_ = options_.Flag("include_cvel_in_observation");
  const bool observes_actuators_ = options_.Flag("include_qfrc_actuator_in_observation");
  const bool observes_contacts_ = options_.Flag("include_cfrc_ext_in_observation");
  const std::size_t skipped_positions_ = LeftOut(2);
  const std::size_t skipped_bodies_ = options_.Flag("exclude_worldbody_observations") ? 1 : 0;
  const std::size_t skipped_forces_ = options_.Flag("exclude_root_actuator_forces") ? 6 : 0;
};

}  // namespace envpool::mujoco
