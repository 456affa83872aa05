// Humanoid: walk forward on two legs.
#include <algorithm>
#include <array>

#include "envpool/numpy_math.h"
#include "mujoco_gym/humanoid_body.h"
#include "numerics/products.h"

namespace envpool::mujoco {
namespace {

class Humanoid final : public HumanoidBody {
 public:
  using HumanoidBody::HumanoidBody;

  static std::vector<Field> Infos(const Options& options) {
    if (options.Integer("version") == 4) {
      return {Info("reward_linvel"),        Info("reward_quadctrl"), Info("reward_alive"),
              Info("reward_impact"),        Info("x_position"),      Info("y_position"),
              Info("distance_from_origin"), Info("x_velocity"),      Info("y_velocity"),
              Info("forward_reward")};
    }
    std::vector<Field> infos = {Info("x_position"), Info("y_position")};
    AddTendonInfos(options, infos);
    const std::vector<Field> rest = {Info("distance_from_origin"), Info("x_velocity"),
                                     Info("y_velocity"),           Info("reward_survive"),
                                     Info("reward_forward"),       Info("reward_ctrl"),
                                     Info("reward_contact")};
    infos.insert(infos.end(), rest.begin(), rest.end());
    return infos;
  }

 protected:
  std::size_t FirstTendonInfo() const override { return 2; }

  void SetInfoOfReset() override { SetPlaceInfo(); }

  StepResult Advance(const Action& action) override {
    const std::array before = MassCenter();
    Simulate(action);
    const std::array after = MassCenter();
    const double x_velocity = (after[0] - before[0]) / Dt();
    const double y_velocity = (after[1] - before[1]) / Dt();

    const bool is_healthy =
        healthy_z_.low < World().Qpos()[2] && World().Qpos()[2] < healthy_z_.high;
    const double forward_reward = forward_weight_ * x_velocity;
    const double healthy_reward = (is_healthy || always_rewards_health_) ? healthy_reward_ : 0.0;
    const double control_cost = control_weight_ * SumOfSquaredControls();
    const double contact_cost = counts_contacts_ ? ContactCost() : 0.0;
    const double cost = counts_contacts_ ? control_cost + contact_cost : control_cost;

    if (version_ == 5) {
      const std::span<const double> position = World().Qpos();
      info_ = {position[0],    position[1],   numerics::Norm(position.first(2)),
               x_velocity,     y_velocity,    healthy_reward,
               forward_reward, -control_cost, -contact_cost};
    } else {
      info_ = {forward_reward, -control_cost, healthy_reward,        -contact_cost,
               after[0],       after[1],      numerics::Norm(after), x_velocity,
               y_velocity,     forward_reward};
    }
    return {.reward = forward_reward + healthy_reward - cost,
            .terminated = terminates_ && !is_healthy};
  }

 private:
  // Of a body, which may differ from episode to episode.
  double Mass(std::size_t body) const { return World().Model().body_mass[body]; }

  // numpy.einsum("b,bj->j", body_mass, xipos) / sum(body_mass)
  std::array<double, 2> MassCenter() const {
    std::array center = {0.0, 0.0};
    for (std::size_t body = 0; body < Nbody(); ++body) {
      const double mass = Mass(body);
      for (std::size_t i = 0; i < 2; ++i) center[i] += mass * State().xipos[3 * body + i];
    }
    const double all = numpy::LongSum(Nbody(), [this](std::size_t body) { return Mass(body); });
    return {center[0] / all, center[1] / all};
  }

  double ContactCost() const {
    const double cost = contact_weight_ * SumOfSquaredContacts();
    return numpy::Clip(cost, contact_cost_.low, contact_cost_.high);
  }

  const double forward_weight_ = options_.Number("forward_reward_weight");
  const double control_weight_ = options_.Number("ctrl_cost_weight");
  const double contact_weight_ = options_.Number("contact_cost_weight");
  const Range contact_cost_ = ReadRange(options_, "contact_cost_range");
  const double healthy_reward_ = options_.Number("healthy_reward");
  const Range healthy_z_ = ReadRange(options_, "healthy_z_range");
  const bool terminates_ = options_.Flag("terminate_when_unhealthy");
  const bool always_rewards_health_ = terminates_ && options_.Flag("legacy_healthy_reward");
  const bool counts_contacts_ = version_ == 5 || options_.Flag("use_contact_forces");
};

[[maybe_unused]] const bool registered = RegisterMujoco<Humanoid>({
    .name = "GymHumanoid",
    .xml_file = "humanoid.xml",
    .frame_skip = 5,
    .camera = {"trackbodyid=1", "distance=4", "lookat=0,0,2", "elevation=-20"},
    .options = HumanoidBody::BodyOptions(
        {ResetNoise(0.01),
         {"forward_reward_weight", 1.25, "weight of the forward reward"},
         {"ctrl_cost_weight", 0.1, "weight of the control cost"},
         {"contact_cost_weight", 5e-7, "weight of the contact cost"},
         {"contact_cost_range", std::vector{-kInfinity, 10.0}, "to which it is clipped",
          kAnyNumber},
         {"healthy_reward", 5.0, "reward of each step in which the humanoid is healthy"},
         {"terminate_when_unhealthy", true, "end the episode when it is unhealthy"},
         {"legacy_healthy_reward", false, "give the healthy reward in the last step as well"},
         {"healthy_z_range", std::vector{1.0, 2.0}, "heights at which it is healthy, m",
          kAnyNumber},
         {"use_contact_forces", false, "version 4: count the contact cost"}}),
});

}  // namespace
}  // namespace envpool::mujoco
