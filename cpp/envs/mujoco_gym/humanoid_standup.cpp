// HumanoidStandup: get up from the ground.
#include "envpool/numpy_math.h"
#include "mujoco_gym/humanoid_body.h"

namespace envpool::mujoco {
namespace {

class HumanoidStandup final : public HumanoidBody {
 public:
  using HumanoidBody::HumanoidBody;

  static std::vector<Field> Infos(const Options& options) {
    std::vector<Field> infos;
    if (options.Integer("version") == 5) {
      infos = {Info("x_position"), Info("y_position"), Info("z_distance_from_origin")};
      AddTendonInfos(options, infos);
    }
    const std::vector<Field> rest = {Info("reward_linup"), Info("reward_quadctrl"),
                                     Info("reward_impact"), Info("reward_alive")};
    infos.insert(infos.end(), rest.begin(), rest.end());
    return infos;
  }

 protected:
  std::size_t FirstTendonInfo() const override { return kTendons; }

  void SetInfoOfReset() override { SetPositionInfo(); }

  StepResult Advance(const Action& action) override {
    Simulate(action);
    const double up_reward = forward_weight_ * (World().Qpos()[2] / World().Model().opt.timestep);
    const double control_cost = control_weight_ * SumOfSquaredControls();
    const double impact_cost =
        numpy::Clip(impact_weight_ * SumOfSquaredContacts(), impact_cost_.low, impact_cost_.high);
    if (version_ == 5) SetPositionInfo();
    double* rewards = info_.data() + (version_ == 5 ? kTendons : 0);
    rewards[0] = up_reward;
    rewards[1] = -control_cost;
    rewards[2] = -impact_cost;
    rewards[3] = healthy_reward_;
    return {.reward = up_reward - control_cost - impact_cost + healthy_reward_};
  }

 private:
  static constexpr std::size_t kTendons = 3;  // the number of their first field

  void SetPositionInfo() {
    const std::span<const double> position = World().Qpos();
    info_[0] = position[0];
    info_[1] = position[1];
    info_[2] = position[2] - World().Model().qpos0[2];
  }

  const double forward_weight_ = options_.Number("forward_reward_weight");
  const double control_weight_ = options_.Number("ctrl_cost_weight");
  const double impact_weight_ = options_.Number("impact_cost_weight");
  const Range impact_cost_ = ReadRange(options_, "impact_cost_range");
  const double healthy_reward_ = options_.Number("healthy_reward");
};

[[maybe_unused]] const bool registered = RegisterMujoco<HumanoidStandup>({
    .name = "GymHumanoidStandup",
    .xml_file = "humanoidstandup.xml",
    .frame_skip = 5,
    .camera = {"trackbodyid=1", "distance=4", "lookat=0,0,0.8925", "elevation=-20"},
    .options = HumanoidBody::BodyOptions(
        {ResetNoise(0.01),
         {"uph_cost_weight", 1.0, "without effect, as in Gymnasium"},
         {"forward_reward_weight", 1.0, "weight of the reward for height"},
         {"ctrl_cost_weight", 0.1, "weight of the control cost"},
         {"impact_cost_weight", 5e-7, "weight of the contact cost"},
         {"impact_cost_range", std::vector{-kInfinity, 10.0}, "to which it is clipped", kAnyNumber},
         {"healthy_reward", 1.0, "reward of each step"}}),
});

}  // namespace
}  // namespace envpool::mujoco
