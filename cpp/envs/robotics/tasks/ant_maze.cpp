// AntMaze: walk an ant through a maze to a goal.
//
// Follows gymnasium_robotics/envs/maze/ant_maze_v3.py, v4.py and v5.py, and the ants in them, which
// are Gymnasium's of version 4, 4 and 5. What the ants are rewarded with is shown in infos only.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "envpool/numpy_math.h"
#include "numerics/products.h"
#include "robotics/assets.h"
#include "robotics/goal.h"
#include "robotics/maze.h"
#include "robotics/maze_goal.h"
#include "robotics/robot_env.h"

namespace envpool::robotics::ant_maze {
namespace {

constexpr std::size_t kJoints = 8;
constexpr std::size_t kPositions = 15;
constexpr std::size_t kVelocities = 14;
constexpr std::size_t kForces = 84;  // of contacts: six for each body, the world's first

bool IsVersion5(const Options& options) { return options.Integer("version") == 5; }

// How many forces are observed.
std::size_t ForcesSeen(const Options& options) {
  if (IsVersion5(options)) return options.Flag("include_cfrc_ext_in_observation") ? kForces - 6 : 0;
  return options.Flag("use_contact_forces") ? kForces : 0;
}

Keys KeysOf(const Options& options) {
  return GoalKeys(kPositions - 2 + kVelocities + ForcesSeen(options), 2);
}

std::shared_ptr<const mjModel> ModelOf(const Options& options) {
  return Maze(options).Model(AntFile());
}

// Version 3 draws a new goal whenever one is reached.
Options GoalOptions(Options options) {
  if (options.Integer("version") == 3) options.Set("reset_target", true);
  return options;
}

// The cost of control is float32, as actions are. With contact forces, versions 3 and 4 have their
// cost in its place.
Field ControlInfo(const Options& options) {
  const bool is_contact_cost = !IsVersion5(options) && options.Flag("use_contact_forces");
  return Box("reward_ctrl", is_contact_cost ? DType::kFloat64 : DType::kFloat32, {});
}

std::vector<Field> InfosOf(const Options& options) {
  const auto info = [](const char* name) { return Box(name, DType::kFloat64, {}); };
  std::vector<Field> infos;
  if (IsVersion5(options)) {
    infos = {info("x_position"),   info("y_position"),     info("distance_from_origin"),
             info("x_velocity"),   info("y_velocity"),     info("reward_forward"),
             ControlInfo(options), info("reward_contact"), info("reward_survive")};
  } else {
    infos = {info("reward_forward"), ControlInfo(options), info("reward_survive"),
             info("x_position"),     info("y_position"),   info("distance_from_origin"),
             info("x_velocity"),     info("y_velocity"),   info("forward_reward")};
  }
  std::ranges::copy(SuccessInfos(), std::back_inserter(infos));
  return infos;
}

class AntMaze final : public RobotEnv {
 public:
  explicit AntMaze(const Options& options)
      : RobotEnv(options, "the model of AntMaze", ModelOf(options), KeysOf(options)) {}

 private:
  void ResetEpisode(Random& random, const Options& options) override {
    const Place start = goal_.Reset(random, options);
    World().Reset();
    std::ranges::copy(start, World().Qpos().begin());
    World().Forward();
    Look();
    info_ = {};
    control_info_ = 0.0;
    if (version_ == 5) info_ = {start[0], start[1], numerics::Norm(start)};
  }

  StepResult Advance(const Action& action, Random& random) override {
    const Place before = Torso();
    std::ranges::copy(action.Values<float>(), World().Control().begin());
    World().Step(FrameSkip());
    if (counts_contacts_) {
      World().Run([](const mjModel& model, mjData& data) { mj_rnePostConstraint(&model, &data); });
    }
    SetInfo(before, action);
    Look();
    const Place achieved = Achieved();
    const bool terminated = goal_.Terminates(achieved);
    double reward = goal_.Reward(achieved);
    if (goal_.Update(achieved, random) && version_ == 3) reward = goal_.Reward(achieved);
    return {.reward = reward, .terminated = terminated};
  }

  void WriteInfo(const Row& row) const override {
    const std::size_t control = version_ == 5 ? 6 : 1;
    for (std::size_t i = 0; i < info_.size() + 1; ++i) {
      if (i != control) row.Info<double>(i)[0] = info_[i < control ? i : i - 1];
    }
    if (version_ != 5 && counts_contacts_) {
      row.Info<double>(control)[0] = control_info_;
    } else {
      row.Info<float>(control)[0] = static_cast<float>(control_info_);
    }
    goal_.WriteInfo(row, info_.size() + 1);
  }

  void SerializeMore(Archive& archive) override { archive(goal_, info_, control_info_); }

  Place Achieved() const { return {World().Data().qpos[0], World().Data().qpos[1]}; }

  Place Torso() const {
    const double* place = World().Data().xpos + 3 * torso_;
    return {place[0], place[1]};
  }

  // Sets what is observed.
  void Look() {
    goal_.Note(Achieved());
    std::ranges::copy(Achieved(), Observed(kAchievedGoal).begin());
    std::ranges::copy(goal_.Get(), Observed(kDesiredGoal).begin());
    const RobotWorld& world = World();
    auto out = std::ranges::copy(world.Qpos().subspan(2), Observed(kObservation).begin()).out;
    out = std::ranges::copy(world.Qvel(), out).out;
    for (const double force : Forces().last(forces_seen_)) *out++ = numpy::Clip(force, -1.0, 1.0);
  }

  // What the ant itself would tell.
  void SetInfo(const Place& before, const Action& action) {
    const Place after = Torso();
    const double x_velocity = (after[0] - before[0]) / Dt();
    const double y_velocity = (after[1] - before[1]) / Dt();
    const double forward = x_velocity * forward_weight_;
    const double healthy = always_healthy_ || IsHealthy() ? healthy_reward_ : 0.0;
    control_info_ =
        -static_cast<float>(control_weight_) * numpy::SumOfSquares(action.Values<float>());
    if (version_ == 5) {
      const Place place = Achieved();
      info_ = {place[0],   place[1], numerics::Norm(place), x_velocity,
               y_velocity, forward,  -ContactCost(),        healthy};
      return;
    }
    if (counts_contacts_) control_info_ = -ContactCost();
    info_ = {forward,    healthy,    after[0], after[1], numerics::Norm(after),
             x_velocity, y_velocity, forward};
  }

  bool IsHealthy() const {
    const double z = World().Qpos()[2];
    return World().IsFinite() && 0.2 <= z && z <= 1.0;
  }

  std::span<const double> Forces() const { return {World().Data().cfrc_ext, kForces}; }

  double ContactCost() const {
    const std::span<const double> forces = Forces();
    return contact_weight_ * numpy::LongSum(forces.size(), [&](std::size_t i) {
             const double force = numpy::Clip(forces[i], -1.0, 1.0);
             return force * force;
           });
  }

  const std::int64_t version_ = options_.Integer("version");
  const double forward_weight_ = version_ == 5 ? options_.Number("forward_reward_weight") : 1.0;
  const double control_weight_ = options_.Number("ctrl_cost_weight");
  const double contact_weight_ = options_.Number("contact_cost_weight");
  const double healthy_reward_ = options_.Number("healthy_reward");
  // True if each step is rewarded as a healthy one.
  const bool always_healthy_ = version_ != 5 && options_.Flag("terminate_when_unhealthy");
  const bool counts_contacts_ = version_ == 5 || options_.Flag("use_contact_forces");
  const std::size_t forces_seen_ = ForcesSeen(options_);
  const Maze maze_{options_};
  MazeGoal goal_{GoalOptions(options_), maze_, World(), version_ == 3 ? 0.5 : 0.5 * maze_.Scale(),
                 version_ == 3};
  const int torso_ = World().Body("torso");
  std::array<double, 8> info_ = {};  // without reward_ctrl
  double control_info_ = 0.0;
};

std::vector<OptionSpec> OptionsOf() {
  std::vector<OptionSpec> options = MazeOptions(4.0, 0.5);
  std::ranges::copy(
      std::vector<OptionSpec>{
          {"version",
           std::int64_t{5},
           "the version of the original's environment",
           {.least = 3.0, .most = 5.0}},
          {"forward_reward_weight", 1.0, "version 5: weight of the forward reward"},
          {"ctrl_cost_weight", 0.5, "weight of the control cost", kFloat32},
          {"contact_cost_weight", 5e-4, "weight of the contact cost"},
          {"healthy_reward", 1.0, "reward of each step in which the ant is healthy"},
          {"terminate_when_unhealthy", true,
           "versions 3 and 4: give the healthy reward in every step; no episode ends by it"},
          {"use_contact_forces", false, "versions 3 and 4: observe contact forces"},
          {"include_cfrc_ext_in_observation", true, "version 5: observe contact forces"}},
      std::back_inserter(options));
  return options;
}

[[maybe_unused]] const bool registered = RegisterRobot<AntMaze>({
    .name = "AntMaze",
    .frame_skip = 5,
    .action = Box("action", DType::kFloat32, {kJoints}, {-1.0}, {1.0}),
    .options = OptionsOf(),
    .reset_options = MazeResetOptions(),
    .keys = KeysOf,
    .infos = InfosOf,
    .model = ModelOf,
    .camera = {"distance=4"},
});

}  // namespace
}  // namespace envpool::robotics::ant_maze
