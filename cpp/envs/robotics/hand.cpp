#include "robotics/hand.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "envpool/numpy_math.h"
#include "mujoco/model.h"

namespace envpool::robotics {

namespace {

constexpr std::size_t kTouchSensors = 92;
constexpr Limits kPlace = kFloat32;

// The joints that an actuator moves: "robot0:A_FFJ1" is the middle joint of a finger, to which the
// outer one, "robot0:FFJ0", is coupled.
std::vector<int> JointsOf(const RobotWorld& world, int actuator) {
  const char* const named = mj_id2name(&world.Model(), mjOBJ_ACTUATOR, actuator);
  if (named == nullptr) throw std::invalid_argument("xml_file: an actuator has no name");
  std::string name = named;
  const std::size_t infix = name.find(":A_");
  if (infix != std::string::npos) name.replace(infix, 3, ":");
  std::vector<int> joints = {world.JointPosition(name.c_str())};
  for (const std::string_view finger : {"FF", "MF", "RF", "LF"}) {
    const std::string outer = "robot0:" + std::string(finger) + "J";
    if (name == outer + "1") joints.push_back(world.JointPosition((outer + "0").c_str()));
  }
  return joints;
}

}  // namespace

HandEnv::HandEnv(const Options& options, const std::shared_ptr<const mjModel>& model)
    : RobotEnv(options, "the hand's model", model, HandKeys(options)) {
  if (World().Control().size() != kActuators) {
    throw std::invalid_argument("xml_file: the model has " +
                                std::to_string(World().Control().size()) +
                                " actuators, expected 20");
  }
  for (int joint = 0; joint < static_cast<int>(model->njnt); ++joint) {
    const char* const name = mj_id2name(model.get(), mjOBJ_JOINT, joint);
    if (name == nullptr || !std::string_view(name).starts_with("robot")) continue;
    positions_.push_back(model->jnt_qposadr[joint]);
    velocities_.push_back(model->jnt_dofadr[joint]);
  }
  for (int i = 0; relative_control_ && i < static_cast<int>(model->nu); ++i) {
    followed_.push_back(JointsOf(World(), i));
  }
}

double HandEnv::RelativeCenter(std::size_t actuator) const {
  double sum = 0.0;
  for (const int joint : followed_[actuator]) sum += World().Data().qpos[joint];
  return sum;
}

void HandEnv::Control(const std::array<double, kActuators>& action) {
  const double* const range = World().Model().actuator_ctrlrange;
  for (std::size_t i = 0; i < kActuators; ++i) {
    const double low = range[2 * i];
    const double high = range[2 * i + 1];
    const double center = relative_control_ ? RelativeCenter(i) : (high + low) / 2.0;
    const double control = center + action[i] * ((high - low) / 2.0);
    World().Control()[i] = numpy::Clip(control, low, high);
  }
}

void HandEnv::ControlBy(const Action& action) {
  std::array<double, kActuators> values;
  std::ranges::transform(action.Values<float>(), values.begin(),
                         [](float value) { return numpy::Clip(value, -1.0, 1.0); });
  Control(values);
}

std::span<double> HandEnv::AddJoints(std::span<double> out) const {
  const mjData& data = World().Data();
  std::ranges::transform(positions_, out.begin(), [&](int place) { return data.qpos[place]; });
  out = out.subspan(positions_.size());
  std::ranges::transform(velocities_, out.begin(), [&](int place) { return data.qvel[place]; });
  return out.subspan(velocities_.size());
}

Keys HandKeys(const Options& options) {
  if (options.Text("hand_task") == "reach") return GoalKeys(63, 15);
  const bool touches = options.Text("touch_get_obs") != "off";
  return GoalKeys(touches ? 61 + kTouchSensors : 61, 7);
}

std::shared_ptr<const mjModel> HandModel(const Options& options) {
  return mujoco::LoadModel(options.Text("xml_file"));
}

void CheckSize(const Options& options, std::size_t expected, std::size_t found) {
  if (expected == found) return;
  throw std::invalid_argument("xml_file " + options.Text("xml_file") + ": of this model, " +
                              std::to_string(found) + " numbers are observed, expected " +
                              std::to_string(expected));
}

namespace {

std::unique_ptr<Env> MakeHand(const Options& options) {
  if (options.Text("hand_task") == "reach") return MakeHandReach(options);
  return MakeHandManipulate(options);
}

std::vector<OptionSpec> HandOptions() {
  return {{"xml_file", "hand/reach.xml", "the model: a path, or a name in the assets"},
          {"hand_task", "reach", "what there is to do", {}, {"reach", "manipulate"}},
          RewardType(),
          {"relative_control", false, "actions are relative to where the joints are"},
          {"distance_threshold", 0.01, "how near counts as success, m", kNotNegative},
          {"rotation_threshold", 0.1, "how near counts as success, radians", kNotNegative},
          {"target_position",
           "ignore",
           "where the object should be: where it is, or elsewhere; ignore: it does not matter",
           {},
           {"ignore", "fixed", "random"}},
          {"target_rotation",
           "ignore",
           "how the object should be turned: around which axes; ignore: it does not matter",
           {},
           {"ignore", "fixed", "xyz", "z", "parallel"}},
          {"target_position_low0", -0.04, "how far off random positions are: x, m", kPlace},
          {"target_position_high0", 0.04, "how far off random positions are: x, m", kPlace},
          {"target_position_low1", -0.06, "how far off random positions are: y, m", kPlace},
          {"target_position_high1", 0.02, "how far off random positions are: y, m", kPlace},
          {"target_position_low2", 0.0, "how far off random positions are: z, m", kPlace},
          {"target_position_high2", 0.06, "how far off random positions are: z, m", kPlace},
          {"randomize_initial_position", true, "episodes begin with the object somewhere else"},
          {"randomize_initial_rotation", true, "episodes begin with the object turned otherwise"},
          {"ignore_z_target_rotation", false, "a turn around the target's z axis does not matter"},
          {"touch_visualisation",
           "off",
           "which touch sensors pictures show; on_touch: all, those that touch are red",
           {},
           {"off", "on_touch", "always"}},
          {"touch_get_obs",
           "off",
           "what is observed of touch sensors; log: log(x + 1)",
           {},
           {"off", "boolean", "sensordata", "log"}}};
}

[[maybe_unused]] const bool registered = Register([] {
  EnvType type = Describe({
      .name = "Hand",
      .frame_skip = 20,
      .action = Box("action", DType::kFloat32, {20}, {-1.0}, {1.0}),
      .options = HandOptions(),
      .keys = HandKeys,
      .infos = [](const Options&) { return GoalInfos(); },
      .model = HandModel,
      .camera = {"distance=0.5", "azimuth=55", "elevation=-25", "lookat=1,0.96,0.14"},
  });
  type.create = MakeHand;
  return type;
});

}  // namespace
}  // namespace envpool::robotics
