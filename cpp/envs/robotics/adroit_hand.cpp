#include "robotics/adroit_hand.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "envpool/numpy_math.h"
#include "mujoco/model.h"
#include "robotics/goal.h"

namespace envpool::robotics {

namespace {

constexpr std::size_t kActuatorParameters = mjNGAIN;
static_assert(mjNGAIN == mjNBIAS);

// The option of a reset that is a part of a state.
std::string OptionOf(const StatePart& part) { return "initial_state_dict_" + part.name; }

const std::vector<double>& ValueOf(const Options& options, const StatePart& part) {
  return options.Get<std::vector<double>>(OptionOf(part));
}

std::vector<OptionSpec> ResetOptionsOf(const AdroitTask& task) {
  std::vector<OptionSpec> options;
  for (const StatePart& part : task.state) {
    options.push_back({OptionOf(part), std::vector<double>(),
                       "the state that the episode begins with: " + std::to_string(part.size) +
                           " numbers, if any; then it needs all of its parts"});
  }
  return options;
}

// A state has all of its parts, or is none.
void CheckState(const std::vector<StatePart>& state, const Options& options) {
  const bool has_any = std::ranges::any_of(
      state, [&](const StatePart& part) { return !ValueOf(options, part).empty(); });
  if (!has_any) return;
  for (const StatePart& part : state) {
    const std::size_t size = ValueOf(options, part).size();
    if (size == part.size) continue;
    throw std::invalid_argument(OptionOf(part) + " has " + std::to_string(size) +
                                " numbers, expected " + std::to_string(part.size));
  }
}

}  // namespace

AdroitHand::AdroitHand(const AdroitTask& task, const Options& options)
    : RobotEnv(options, task.xml_file, mujoco::LoadModel(task.xml_file),
               {{"obs", {task.observation}}}),
      state_(task.state) {
  const mjModel& model = World().Model();
  for (int i = 0; i < static_cast<int>(model.nu); ++i) {
    const double low = model.actuator_ctrlrange[2 * i];
    const double high = model.actuator_ctrlrange[2 * i + 1];
    control_mean_.push_back((low + high) / 2.0);
    control_range_.push_back(0.5 * (high - low));
  }
  SetGains();
}

// The wrist gets stronger and the fingers weaker than they are in the file.
void AdroitHand::SetGains() {
  RobotWorld& world = World();
  const std::size_t size = kActuatorParameters * world.Control().size();
  const std::span<double> gains = world.Own(&mjModel::actuator_gainprm, size);
  const std::span<double> biases = world.Own(&mjModel::actuator_biasprm, size);
  const auto set = [&](const char* first, const char* last, double gain) {
    for (int i = world.Find(mjOBJ_ACTUATOR, first); i <= world.Find(mjOBJ_ACTUATOR, last); ++i) {
      const std::size_t start = kActuatorParameters * static_cast<std::size_t>(i);
      std::ranges::copy(Vector{gain, 0.0, 0.0}, gains.subspan(start).begin());
      std::ranges::copy(Vector{0.0, -gain, 0.0}, biases.subspan(start).begin());
    }
  };
  set("A_WRJ1", "A_WRJ0", 10.0);
  set("A_FFJ3", "A_THJ0", 1.0);
}

void AdroitHand::ResetEpisode(Random& random, const Options& options) {
  RobotWorld& world = World();
  world.Reset();
  DrawEpisode(random);
  world.Forward();
  NoteBeginning();
  if (!ValueOf(options, state_.front()).empty()) SetState(options);
  Finish();
}

// As set_env_state does, after the reset's own forward computation.
void AdroitHand::SetState(const Options& options) {
  RobotWorld& world = World();
  std::vector<std::vector<double>> values;
  for (const StatePart& part : state_) values.push_back(ValueOf(options, part));
  std::ranges::copy(values[0], world.Qpos().begin());
  std::ranges::copy(values[1], world.Qvel().begin());
  SetEpisode(Parts(values).subspan(2));
  world.Forward();
}

StepResult AdroitHand::Advance(const Action& action, Random&) {
  RobotWorld& world = World();
  const std::span<const float> values = action.Values<float>();
  const std::span<double> control = world.Control();
  for (std::size_t i = 0; i < control.size(); ++i) {
    control[i] = control_mean_[i] + numpy::Clip(values[i], -1.0, 1.0) * control_range_[i];
  }
  world.Step(FrameSkip());
  Finish();
  if (!is_sparse_) return {.reward = DenseReward(outcome_)};
  return {.reward = outcome_.is_success ? 10.0 : -0.1};
}

void AdroitHand::Finish() {
  ObservationWriter writer(Observed(0));
  WriteObservation(writer);
  writer.RequireFull();
  outcome_ = Judge();
}

void AdroitHand::WriteInfo(const Row& row) const {
  WriteSuccess(row, outcome_.is_success, outcome_.distance);
}

void AdroitHand::SerializeMore(Archive& archive) {
  archive(outcome_.distance, outcome_.is_success);
}

RobotType Describe(const AdroitTask& task) {
  return {
      .name = "AdroitHand" + task.name,
      .frame_skip = 5,
      .action = Box("action", DType::kFloat32, {task.actuators}, {-1.0}, {1.0}),
      .options = {{"reward_type",
                   "dense",
                   "reward of the way to the goal, or only of reaching it",
                   {},
                   {"dense", "sparse"}}},
      .reset_options = ResetOptionsOf(task),
      .check_reset_options =
          [state = task.state](const Options& options) { CheckState(state, options); },
      .keys = [size = task.observation](const Options&) { return Keys{{"obs", {size}}}; },
      .infos = [](const Options&) { return SuccessInfos(); },
      .model = [file = task.xml_file](const Options&) { return mujoco::LoadModel(file); },
      .observes_dict = false,
      .camera = task.camera,
  };
}

}  // namespace envpool::robotics
