// FrankaKitchen: an arm that opens, moves and switches on what is in a kitchen.
//
// Follows gymnasium_robotics/envs/franka_kitchen/kitchen_env.py and franka_env.py.
#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>

#include "envpool/numpy_math.h"
#include "mujoco/model.h"
#include "numerics/products.h"
#include "robotics/robot_env.h"

namespace envpool::robotics::kitchen {
namespace {

constexpr std::size_t kArm = 9;          // joints of the arm
constexpr std::size_t kPositions = 30;   // of the arm, and of all else
constexpr std::size_t kVelocities = 29;  // likewise
constexpr double kCloseEnough = 0.3;     // a task is done so near to its goal
constexpr const char* kModelFile = "kitchen_franka/kitchen_assets/kitchen_env_model.xml";

// Something to do: which positions are its achieved goal, from which on, and what they shall be.
struct Thing {
  const char* name;
  std::size_t first;
  std::vector<double> goal;
};

// By the names' order, which is that of Gymnasium's spaces.
const std::vector<Thing> all_things = {
    {"bottom burner", 11, {-0.88, -0.01}},
    {"hinge cabinet", 20, {0.0, 1.45}},
    {"kettle", 23, {-0.23, 0.75, 1.62, 0.99, 0.0, 0.0, -0.06}},
    {"light switch", 17, {-0.69, -0.05}},
    {"microwave", 22, {-0.75}},
    {"slide cabinet", 19, {0.37}},
    {"top burner", 15, {-0.92, -0.01}},
};

// The original's order, which is EnvPool's.
const std::vector<std::string> all_names = {"bottom burner", "top burner",    "light switch",
                                            "slide cabinet", "hinge cabinet", "microwave",
                                            "kettle"};

// Where episodes begin.
constexpr std::array<double, kPositions> kStart = {
    1.48388023e-01,  -1.76848573e00,  1.84390296e00,   -2.47685760e00,  2.60252026e-01,
    7.12533105e-01,  1.59515394e00,   4.79267505e-02,  3.71350919e-02,  -2.66279850e-04,
    -5.18043486e-05, 3.12877220e-05,  -4.51199853e-05, -3.90842156e-06, -4.22629655e-05,
    6.28065475e-05,  4.04984708e-05,  4.62730939e-04,  -2.26906415e-04, -4.65501369e-04,
    -6.44129196e-03, -1.77048263e-03, 1.08009684e-03,  -2.69397440e-01, 3.50383255e-01,
    1.61944683e00,   1.00618764e00,   4.06395120e-03,  -6.62095997e-03, -2.68278933e-04};

// What franka_config.xml says of the joints: between what positions the arm's are, rad or m, and
// how large the noise is that is observed.
constexpr std::array<double, kArm> kLowest = {-2.9, -1.8, -2.9, -3.1, -2.9, 0.0, -2.9, 0.0, 0.0};
constexpr std::array<double, kArm> kHighest = {2.9, 1.8, 2.9, 0.0, 2.9, 3.8, 2.9, 0.04, 0.04};
constexpr std::array<double, kVelocities> kPositionNoise = {
    0.1,   0.1,    0.1,    0.1,    0.1,    0.1,    0.1,    0.1,   0.1,   0.005,
    0.005, 0.0005, 0.0005, 0.0005, 0.0005, 0.0005, 0.0005, 0.005, 0.005, 0.005,
    0.1,   0.1,    0.1,    0.005,  0.005,  0.005,  0.1,    0.1,   0.1};
constexpr std::array<double, kVelocities> kVelocityNoise = {
    0.1,   0.1,   0.1,   0.1,   0.1,   0.1,   0.1,   0.1,   0.1,   0.005,
    0.005, 0.005, 0.005, 0.005, 0.005, 0.005, 0.005, 0.005, 0.005, 0.005,
    0.1,   0.1,   0.1,   0.005, 0.005, 0.005, 0.1,   0.1,   0.1};

// The things that an option names, by the order of all_things. Throws std::invalid_argument if one
// of them is not there, or there is none.
std::vector<Thing> ThingsToDo(const Options& options) {
  const auto& names = options.Get<std::vector<std::string>>("tasks_to_complete");
  if (names.empty()) {
    throw std::invalid_argument("tasks_to_complete is empty, expected at least one task");
  }
  for (const std::string& name : names) {
    if (std::ranges::find(all_names, name) != all_names.end()) continue;
    std::string known;
    for (const std::string& each : all_names) known += (known.empty() ? "'" : ", '") + each + "'";
    throw std::invalid_argument("tasks_to_complete has '" + name + "', expected some of " + known);
  }
  std::vector<Thing> things;
  for (const Thing& thing : all_things) {
    if (std::ranges::find(names, thing.name) != names.end()) things.push_back(thing);
  }
  return things;
}

Keys KeysOf(const Options& options) {
  Keys keys;
  for (const char* goal : {"achieved_goal.", "desired_goal."}) {
    for (const Thing& thing : ThingsToDo(options)) {
      keys.push_back({goal + std::string(thing.name), {static_cast<int>(thing.goal.size())}});
    }
  }
  keys.push_back({"observation", {kPositions + kVelocities}});
  return keys;
}

class Kitchen final : public RobotEnv {
 public:
  explicit Kitchen(const Options& options)
      : RobotEnv(options, "FrankaKitchen's model", mujoco::LoadModel(kModelFile), KeysOf(options)) {
    if (World().Qpos().size() != kPositions || World().Qvel().size() != kVelocities) {
      throw std::runtime_error("FrankaKitchen's model has other joints than expected");
    }
  }

 private:
  // One mark for each thing, by its place in things_.
  using Marks = std::array<bool, 7>;

  void ResetEpisode(Random& random, const Options&) override {
    World().Reset();
    std::ranges::copy(kStart, World().Qpos().begin());
    World().Forward();
    left_.fill(false);
    std::fill_n(left_.begin(), things_.size(), true);
    done_now_.fill(false);
    done_.fill(false);
    WriteObserved(random);
  }

  StepResult Advance(const Action& action, Random& random) override {
    Control(action);
    World().Step(FrameSkip());
    WriteObserved(random);
    for (std::size_t i = 0; i < things_.size(); ++i) {
      done_now_[i] = left_[i] && IsDone(i);
      done_[i] = done_[i] || done_now_[i];
      if (removes_ && done_now_[i]) left_[i] = false;
    }
    const auto count = std::ranges::count(done_now_, true);
    const auto in_all = static_cast<std::size_t>(std::ranges::count(done_, true));
    return {.reward = static_cast<double>(count),
            .terminated = terminates_ && in_all == things_.size()};
  }

  // An action is a velocity; actuators get the position to which it leads from the last one that
  // was observed.
  void Control(const Action& action) {
    for (std::size_t i = 0; i < kArm; ++i) {
      const double velocity = numpy::Clip(action.Values<double>()[i], -1.0, 1.0) * 2.0;
      World().Control()[i] = numpy::Clip(last_[i] + velocity * Dt(), kLowest[i], kHighest[i]);
    }
  }

  void WriteObserved(Random& random) {
    const std::span<double> out = Observed(2 * things_.size());
    const std::span<const double> qpos = World().Qpos();
    const std::span<const double> qvel = World().Qvel();
    const std::span<const double> position_noise(kPositionNoise);
    const std::span<const double> velocity_noise(kVelocityNoise);
    auto end = AddNoise(qpos.first(kArm), position_noise, robot_noise_, random, out.begin());
    std::copy_n(out.begin(), kArm, last_.begin());
    end = AddNoise(qvel.first(kArm), velocity_noise, robot_noise_, random, end);
    end = AddNoise(qpos.subspan(kArm), position_noise.subspan(8), object_noise_, random, end);
    AddNoise(qvel.subspan(kArm), velocity_noise.subspan(kArm), object_noise_, random, end);
    for (std::size_t i = 0; i < things_.size(); ++i) {
      const Thing& thing = things_[i];
      std::ranges::copy(qpos.subspan(thing.first, thing.goal.size()), Observed(i).begin());
      std::ranges::copy(thing.goal, Observed(things_.size() + i).begin());
    }
  }

  // Writes values with noise, as it is drawn; returns the end of what was written.
  static std::span<double>::iterator AddNoise(std::span<const double> values,
                                              std::span<const double> amplitudes, double ratio,
                                              Random& random, std::span<double>::iterator out) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      *out++ = values[i] + ratio * amplitudes[i] * random.Uniform(-1.0, 1.0);
    }
    return out;
  }

  bool IsDone(std::size_t i) const {
    const std::span<const double> achieved = Observed(i);
    std::array<double, 7> difference = {};
    std::ranges::transform(achieved, things_[i].goal, difference.begin(), std::minus<>());
    return numerics::Norm(std::span(difference).first(achieved.size())) < kCloseEnough;
  }

  void WriteInfo(const Row& row) const override {
    std::size_t info = 0;
    for (const Marks* marks : {&left_, &done_now_, &done_}) {
      const std::span<std::int32_t> out = row.Info<std::int32_t>(info++);
      std::ranges::fill(out, 0);
      for (std::size_t i = 0; i < things_.size(); ++i) {
        const auto place = std::ranges::find(all_names, things_[i].name) - all_names.begin();
        out[static_cast<std::size_t>(place)] = (*marks)[i] ? 1 : 0;
      }
    }
  }

  void SerializeMore(Archive& archive) override { archive(last_, left_, done_now_, done_); }

  const std::vector<Thing> things_ = ThingsToDo(options_);
  const bool terminates_ = options_.Flag("terminate_on_tasks_completed");
  const bool removes_ = options_.Flag("remove_task_when_completed");
  const double robot_noise_ = options_.Number("robot_noise_ratio");
  const double object_noise_ = options_.Number("object_noise_ratio");
  std::array<double, kArm> last_ = {};  // positions of the arm that were observed
  Marks left_ = {};                     // what is to be done
  Marks done_now_ = {};                 // what the last step has done
  Marks done_ = {};                     // what the episode has
};

constexpr Limits kNoise = {.least = 0.0, .most = 1e3};

[[maybe_unused]] const bool registered = RegisterRobot<Kitchen>({
    .name = "Kitchen",
    .frame_skip = 40,
    .action = Box("action", DType::kFloat64, {9}, {-1.0}, {1.0}),
    .options = {{"tasks_to_complete", all_names, "what is to be done: names of tasks"},
                {"terminate_on_tasks_completed", true, "end the episode when all is done"},
                {"remove_task_when_completed", true, "reward each task once"},
                {"robot_noise_ratio", 0.01, "scale of the noise in what is observed of the arm",
                 kNoise},
                {"object_noise_ratio", 0.0005, "scale of the noise in what is observed of the rest",
                 kNoise}},
    .reset_options = {},
    .keys = KeysOf,
    .infos =
        [](const Options&) {
          std::vector<Field> infos;
          for (const char* name :
               {"tasks_to_complete", "step_task_completions", "episode_task_completions"}) {
            infos.push_back(Box(name, DType::kInt32, {7}, {0}, {1}));
          }
          return infos;
        },
    .model = [](const Options&) { return mujoco::LoadModel(kModelFile); },
    .camera = {"distance=2.2", "azimuth=70", "elevation=-35", "lookat=-0.2,0.5,2"},
});

}  // namespace
}  // namespace envpool::robotics::kitchen
