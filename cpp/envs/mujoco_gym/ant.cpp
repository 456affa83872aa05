// Ant: run forward on four legs.
//
// Follows gymnasium/envs/mujoco/ant_v4.py and ant_v5.py.
#include <array>

#include "envpool/numpy_math.h"
#include "mujoco_gym/mujoco_env.h"
#include "numerics/products.h"

namespace envpool::mujoco {
namespace {

class Ant final : public MujocoEnv {
 public:
  explicit Ant(const Options& options) : MujocoEnv(options) {
    Require(3, 1);
    if (main_body_ < 0) {
      throw std::invalid_argument("main_body is '" + options.Text("main_body") +
                                  "', but the model has no such body");
    }
    if (counts_contacts_ || observes_contacts_) NeedContactForces();
  }

  static std::vector<Field> Infos(const Options& options) {
    if (options.Integer("version") == 5) {
      return {Info("x_position"),  Info("y_position"),     Info("distance_from_origin"),
              Info("x_velocity"),  Info("y_velocity"),     Info("reward_forward"),
              Info("reward_ctrl"), Info("reward_contact"), Info("reward_survive")};
    }
    return {Info("reward_forward"), Info("reward_ctrl"), Info("reward_survive"),
            Info("x_position"),     Info("y_position"),  Info("distance_from_origin"),
            Info("x_velocity"),     Info("y_velocity"),  Info("forward_reward"),
            Info("reward_contact")};
  }

 protected:
  void ResetModel(Random& random) override { ResetWithNormalNoise(random); }

  void SetInfoOfReset() override { SetPlaceInfo(); }

  StepResult Advance(const Action& action) override {
    const std::array before = Position();
    Simulate(action);
    const std::array after = Position();
    const double x_velocity = (after[0] - before[0]) / Dt();
    const double y_velocity = (after[1] - before[1]) / Dt();

    const bool is_healthy = IsHealthy();
    const double forward_reward = x_velocity * forward_weight_;
    const double healthy_reward = (is_healthy || always_rewards_health_) ? healthy_reward_ : 0.0;
    const double control_cost = ControlCost(action, control_weight_);
    const double contact_cost = counts_contacts_ ? ContactCost() : 0.0;
    const double cost = counts_contacts_ ? control_cost + contact_cost : control_cost;

    if (version_ == 5) {
      const std::span<const double> position = World().Qpos();
      info_ = {position[0],   position[1],   numerics::Norm(position.first(2)),
               x_velocity,    y_velocity,    forward_reward,
               -control_cost, -contact_cost, healthy_reward};
    } else {
      info_ = {forward_reward, counts_contacts_ ? -contact_cost : -control_cost,
               healthy_reward, after[0],
               after[1],       numerics::Norm(after),
               x_velocity,     y_velocity,
               forward_reward, -contact_cost};
    }
    return {.reward = forward_reward + healthy_reward - cost,
            .terminated = terminates_ && !is_healthy};
  }

  void WriteObservation(ObservationWriter& out) const override {
    out.Add(World().Qpos().subspan(skipped_positions_));
    out.Add(World().Qvel());
    if (!observes_contacts_) return;
    out.AddClipped(World().ContactForces().subspan(6 * skipped_bodies_), contact_force_);
  }

 private:
  std::array<double, 2> Position() const {
    const numerics::Vector position = World().BodyPosition(main_body_);
    return {position[0], position[1]};
  }

  bool IsHealthy() const {
    const double z = World().Qpos()[2];
    return World().IsFinite() && healthy_z_.low <= z && z <= healthy_z_.high;
  }

  double ContactCost() const {
    const std::span<const double> forces = World().ContactForces();
    const double sum = numpy::LongSum(forces.size(), [&](std::size_t i) {
      const double force = numpy::Clip(forces[i], contact_force_.low, contact_force_.high);
      return force * force;
    });
    return contact_weight_ * sum;
  }

  const double forward_weight_ = options_.Number("forward_reward_weight");
  const double control_weight_ = options_.Number("ctrl_cost_weight");
  const double contact_weight_ = options_.Number("contact_cost_weight");
  const double healthy_reward_ = options_.Number("healthy_reward");
  const Range healthy_z_ = ReadRange(options_, "healthy_z_range");
  const Range contact_force_ = ReadRange(options_, "contact_force_range");
  const bool terminates_ = options_.Flag("terminate_when_unhealthy");
  const bool always_rewards_health_ = terminates_ && options_.Flag("legacy_healthy_reward");
  const bool counts_contacts_ = version_ == 5 || options_.Flag("use_contact_forces");
  const bool observes_contacts_ = version_ == 5 ? options_.Flag("include_cfrc_ext_in_observation")
                                                : options_.Flag("use_contact_forces");
  const std::size_t skipped_positions_ = LeftOut(2);
  const std::size_t skipped_bodies_ = options_.Flag("exclude_worldbody_contact_forces") ? 1 : 0;
  const int main_body_ = FindBody(World().Model(), options_.Text("main_body"));
};

[[maybe_unused]] const bool registered = RegisterMujoco<Ant>({
    .name = "GymAnt",
    .xml_file = "ant.xml",
    .frame_skip = 5,
    .camera = {"distance=4"},
    .options = {ResetNoise(0.1),
                {"forward_reward_weight", 1.0, "weight of the forward reward"},
                {"ctrl_cost_weight", 0.5, "weight of the control cost"},
                {"contact_cost_weight", 5e-4, "weight of the contact cost"},
                {"healthy_reward", 1.0, "reward of each step in which the ant is healthy"},
                {"main_body", "1", "the body whose speed is rewarded, by number or name"},
                {"terminate_when_unhealthy", true, "end the episode when the ant is unhealthy"},
                {"legacy_healthy_reward", false,
                 "give the healthy reward in the last step as well"},
                {"healthy_z_range", std::vector{0.2, 1.0}, "heights at which the ant is healthy, m",
                 kAnyNumber},
                {"contact_force_range", std::vector{-1.0, 1.0},
                 "to which contact forces are clipped", kAnyNumber},
                {"use_contact_forces", false,
                 "version 4: observe contact forces, and count their cost"},
                {"include_cfrc_ext_in_observation", true, "version 5: observe contact forces"},
                {"exclude_worldbody_contact_forces", true, "leave out those on the world"},
                {"exclude_current_positions_from_observation", true, "leave out x and y"}},
});

}  // namespace
}  // namespace envpool::mujoco
