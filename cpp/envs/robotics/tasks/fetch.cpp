// Fetch: move a gripper, or what it pushes, slides or carries, to a place.
//
// Follows gymnasium_robotics/envs/fetch/fetch_env.py.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "envpool/fork_local.h"
#include "envpool/numpy_math.h"
#include "mujoco/model.h"
#include "mujoco/shared_cache.h"
#include "numerics/loops.h"
#include "robotics/goal.h"
#include "robotics/robot_env.h"
#include "robotics/rotations.h"
#include "robotics/sketch.h"

namespace envpool::robotics::fetch {
namespace {

constexpr std::size_t kGoal = 3;
constexpr std::size_t kWithObject = 25;
constexpr std::size_t kWithoutObject = 10;
constexpr double kLeastDistance = 0.1;  // from the gripper, of an object's first place
constexpr int kMostAttempts = 100'000;  // where the original would go on for ever
constexpr const char* kFingers[] = {"robot0:r_gripper_finger_joint",
                                    "robot0:l_gripper_finger_joint"};

bool HasObject(const Options& options) { return options.Flag("has_object"); }

std::shared_ptr<const mjModel> ModelOf(const Options& options) {
  return mujoco::LoadModel(options.Text("xml_file"));
}

Keys KeysOf(const Options& options) {
  return GoalKeys(HasObject(options) ? kWithObject : kWithoutObject, kGoal);
}

// A body that is welded to the one which actions move.
struct Weld {
  int mocap;
  int body;
};

// Throws std::invalid_argument unless the model has one body that actions can move.
std::vector<Weld> WeldsOf(const mjModel& model) {
  if (model.nmocap != 1) {
    throw std::invalid_argument("xml_file: the model has " + std::to_string(model.nmocap) +
                                " mocap bodies, expected 1");
  }
  std::vector<Weld> welds;
  for (int i = 0; i < static_cast<int>(model.neq); ++i) {
    if (model.eq_type[i] != mjEQ_WELD) continue;
    if (model.eq_objtype[i] != mjOBJ_BODY) {
      throw std::invalid_argument("xml_file: the model has a weld that is not between bodies");
    }
    const int a = model.eq_obj1id[i];
    const int b = model.eq_obj2id[i];
    const bool is_first = model.body_mocapid[a] >= 0;
    if (!is_first && model.body_mocapid[b] < 0) {
      throw std::invalid_argument("xml_file: the model has a weld without a mocap body");
    }
    welds.push_back(is_first ? Weld{model.body_mocapid[a], b} : Weld{model.body_mocapid[b], a});
  }
  return welds;
}

// Welded bodies are in the very place of the mocap body, whatever the model says.
void ResetWelds(RobotWorld& world) {
  constexpr double kNowhere[] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0};
  const mjModel& model = world.Model();
  const std::span<double> data =
      world.Own(&mjModel::eq_data, mjNEQDATA * static_cast<std::size_t>(model.neq));
  for (int i = 0; i < static_cast<int>(model.neq); ++i) {
    if (model.eq_type[i] == mjEQ_WELD) std::ranges::copy(kNowhere, &data[mjNEQDATA * i]);
  }
}

// How all episodes begin, but for what is drawn.
struct Start {
  std::shared_ptr<const mjModel> model;  // keeps the address that the cache goes by
  double time;
  std::vector<double> position;
  std::vector<double> velocity;
  Vector gripper;
  double height;  // of an object
};

// Moves the gripper to where episodes begin. `numbers`: frame_skip, gripper_extra_height, the three
// slides of the robot, and the object's place.
Start Prepare(const std::shared_ptr<const mjModel>& model, std::span<const double> numbers,
              bool has_object) {
  RobotWorld world("Fetch's model", model);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string slide = "robot0:slide" + std::to_string(i);
    world.Qpos()[static_cast<std::size_t>(world.JointPosition(slide.c_str()))] = numbers[2 + i];
  }
  if (has_object) {
    if (mj_name2id(model.get(), mjOBJ_JOINT, "object0:joint") < 0) {
      throw std::invalid_argument("has_object is True, and the model has no joint 'object0:joint'");
    }
    const std::array pose = {numbers[5], numbers[6], numbers[7], 1.0, 0.0, 0.0, 0.0};
    std::ranges::copy(pose, world.Data().qpos + world.FreePosition("object0:joint"));
  }
  ResetWelds(world);
  world.Forward();
  world.Forward();
  const int grip = world.Site("robot0:grip");
  const Vector place = world.SitePosition(grip);
  const int mocap = world.Model().body_mocapid[world.Body("robot0:mocap")];
  if (mocap < 0) {
    throw std::invalid_argument("xml_file: the body 'robot0:mocap' is no mocap body");
  }
  const std::array target = {-0.498 + place[0], 0.005 + place[1], -0.431 + numbers[1] + place[2]};
  std::ranges::copy(target, world.Data().mocap_pos + 3 * mocap);
  std::ranges::copy(std::array{1.0, 0.0, 1.0, 0.0}, world.Data().mocap_quat + 4 * mocap);
  for (int i = 0; i < 10; ++i) world.Step(static_cast<std::int64_t>(numbers[0]));
  return {.model = model,
          .time = world.Data().time,
          .position = {world.Qpos().begin(), world.Qpos().end()},
          .velocity = {world.Qvel().begin(), world.Qvel().end()},
          .gripper = world.SitePosition(grip),
          .height = has_object ? world.SitePosition(world.Site("object0"))[2] : 0.0};
}

using StartKey = std::pair<const mjModel*, std::vector<double>>;

ForkLocal<mujoco::SharedCache<StartKey, const Start>> starts;

std::shared_ptr<const Start> StartOf(const Options& options,
                                     const std::shared_ptr<const mjModel>& model) {
  const bool has_object = HasObject(options);
  std::vector<double> numbers = {static_cast<double>(options.Integer("frame_skip")),
                                 options.Number("gripper_extra_height")};
  for (const char* name : {"initial_slide0", "initial_slide1", "initial_slide2"}) {
    numbers.push_back(options.Number(name));
  }
  for (const char* name : {"initial_object_x", "initial_object_y", "initial_object_z"}) {
    numbers.push_back(has_object ? options.Number(name) : 0.0);
  }
  StartKey key = {model.get(), numbers};
  key.second.push_back(has_object ? 1.0 : 0.0);
  return starts.Get().Get(
      key, [&] { return std::make_shared<const Start>(Prepare(model, numbers, has_object)); });
}

class Fetch final : public RobotEnv {
 public:
  explicit Fetch(const Options& options) : Fetch(options, ModelOf(options)) {}

 private:
  Fetch(const Options& options, const std::shared_ptr<const mjModel>& model)
      : RobotEnv(options, "Fetch's model", model, KeysOf(options)),
        welds_(WeldsOf(*model)),
        start_(StartOf(options, model)) {
    ResetWelds(World());
    FindJoints();
    if (!has_object_) return;
    object_ = World().Site("object0");
    object_position_ = World().FreePosition("object0:joint");
    if (object_range_ * std::sqrt(2.0) <= kLeastDistance) {
      throw std::invalid_argument("obj_range is " + Shortest(object_range_) +
                                  ", expected more than 0.0708: objects begin at least 0.1 m away");
    }
  }

  void ResetEpisode(Random& random, const Options&) override {
    RobotWorld& world = World();
    world.Reset();
    world.Data().time = start_->time;
    std::ranges::copy(start_->position, world.Data().qpos);
    std::ranges::copy(start_->velocity, world.Data().qvel);
    if (has_object_) PlaceObject(random);
    world.Forward();
    std::ranges::copy(DrawGoal(random), Observed(kDesiredGoal).begin());
    Look();
  }

  void PlaceObject(Random& random) {
    std::array<double, 2> place;
    std::array<double, 2> from_gripper;
    int attempts = 0;
    do {
      if (attempts++ == kMostAttempts) {
        throw std::runtime_error("obj_range is " + Shortest(object_range_) +
                                 ": found no place for the object in 100000 attempts");
      }
      for (std::size_t i = 0; i < 2; ++i) {
        place[i] = start_->gripper[i] + random.Uniform(-object_range_, object_range_);
        from_gripper[i] = place[i] - start_->gripper[i];
      }
    } while (numerics::Norm(from_gripper) < kLeastDistance);
    std::ranges::copy(place, World().Data().qpos + object_position_);
  }

  Vector DrawGoal(Random& random) const {
    Vector goal;
    for (std::size_t i = 0; i < 3; ++i) {
      goal[i] = start_->gripper[i] + random.Uniform(-target_range_, target_range_);
    }
    if (!has_object_) return goal;
    for (std::size_t i = 0; i < 3; ++i) goal[i] += target_offset_[i];
    goal[2] = start_->height;
    if (target_in_the_air_ && random.Uniform() < 0.5) goal[2] += random.Uniform(0.0, 0.45);
    return goal;
  }

  StepResult Advance(const Action& action, Random&) override {
    std::array<float, 4> values;
    std::ranges::transform(action.Values<float>(), values.begin(), [](float value) {
      return static_cast<float>(numpy::Clip(value, -1.0, 1.0));
    });
    MoveFingers(block_gripper_ ? 0.0F : values[3]);
    MoveGripper({values[0] * 0.05F, values[1] * 0.05F, values[2] * 0.05F});
    World().Step(FrameSkip());
    if (block_gripper_) {
      for (const int finger : fingers_) World().Data().qpos[finger] = 0.0;
      World().Forward();
    }
    Look();
    return {.reward = GoalReward(distance_, threshold_, is_sparse_)};
  }

  void MoveFingers(double by) {
    mjData& data = World().Data();
    for (std::size_t i = 0; i < actuated_.size(); ++i) {
      data.ctrl[i] = actuated_[i] < 0 ? by : data.qpos[actuated_[i]] + by;
    }
  }

  // Sets the mocap body beside the gripper, which the next steps pull there.
  void MoveGripper(const std::array<float, 3>& by) {
    mjData& data = World().Data();
    for (const Weld& weld : welds_) {
      std::copy_n(data.xpos + 3 * weld.body, 3, data.mocap_pos + 3 * weld.mocap);
      std::copy_n(data.xquat + 4 * weld.body, 4, data.mocap_quat + 4 * weld.mocap);
    }
    for (std::size_t i = 0; i < 3; ++i) data.mocap_pos[i] += by[i];
    data.mocap_quat[0] += 1.0;  // how the gripper is turned, in all episodes
    data.mocap_quat[2] += 1.0;
  }

  // Sets what is observed.
  void Look() {
    const RobotWorld& world = World();
    auto out = Observed(kObservation).begin();
    const auto add = [&out](const Vector& values) { out = std::ranges::copy(values, out).out; };
    const auto add_fingers = [&](std::span<const double> values, const std::array<int, 2>& places,
                                 double factor) {
      for (const int place : places) *out++ = values[static_cast<std::size_t>(place)] * factor;
    };
    const Vector grip = world.SitePosition(grip_);
    const Vector grip_velocity = VelocityOf(grip_).linear;
    add(grip);
    if (has_object_) {
      const Vector object = world.SitePosition(object_);
      add(object);
      add(Difference(object, grip));
      add_fingers(world.Qpos(), last_positions_, 1.0);
      const SiteVelocity velocity = VelocityOf(object_);
      add(EulerOfMatrix({world.Data().site_xmat + 9 * object_, 9}));
      add(Difference(velocity.linear, grip_velocity));
      add(velocity.angular);
      std::ranges::copy(object, Observed(kAchievedGoal).begin());
    } else {
      add_fingers(world.Qpos(), last_positions_, 1.0);
      std::ranges::copy(grip, Observed(kAchievedGoal).begin());
    }
    add(grip_velocity);
    add_fingers(world.Qvel(), last_velocities_, Dt());
    distance_ = GoalDistance(Observed(kAchievedGoal), Observed(kDesiredGoal));
  }

  struct SiteVelocity {
    Vector linear;
    Vector angular;
  };

  // In metres and radians per step.
  SiteVelocity VelocityOf(int site) {
    auto& [linear, angular] = jacobians_;
    World().Run([&](const mjModel& model, mjData& data) {
      mj_jacSite(&model, &data, linear.data(), angular.data(), site);
    });
    const auto velocity = [this](const std::vector<double>& jacobian) {
      Vector result;
      numerics::MatrixTimesVector(jacobian, World().Qvel(), result);
      for (double& element : result) element *= Dt();
      return result;
    };
    return {velocity(linear), velocity(angular)};
  }

  // The gripper's fingers, the last two joints of the robot, and what the actuators move.
  void FindJoints() {
    const RobotWorld& world = World();
    const mjModel& model = world.Model();
    for (std::size_t i = 0; i < 2; ++i) fingers_[i] = world.JointPosition(kFingers[i]);
    for (int joint = 0; joint < static_cast<int>(model.njnt); ++joint) {
      const char* const name = mj_id2name(&model, mjOBJ_JOINT, joint);
      if (name == nullptr || !std::string_view(name).starts_with("robot")) continue;
      last_positions_ = {last_positions_[1], model.jnt_qposadr[joint]};
      last_velocities_ = {last_velocities_[1], model.jnt_dofadr[joint]};
    }
    if (model.nu != 0 && model.nu != 2) {
      throw std::invalid_argument("xml_file: the model has " + std::to_string(model.nu) +
                                  " actuators, expected 2 for the gripper's fingers, or none");
    }
    for (int i = 0; i < static_cast<int>(model.nu); ++i) {
      if (model.actuator_trntype[i] != mjTRN_JOINT) {
        throw std::invalid_argument("xml_file: the model has an actuator that moves no joint");
      }
      const bool is_absolute = model.actuator_biastype[i] == mjBIAS_NONE;
      actuated_.push_back(is_absolute ? -1 : model.jnt_qposadr[model.actuator_trnid[2 * i]]);
    }
    for (std::vector<double>& jacobian : jacobians_) jacobian.resize(3 * world.Qvel().size());
  }

  void WriteInfo(const Row& row) const override {
    WriteGoalInfo(row, distance_ < threshold_, distance_);
  }

  void SerializeMore(Archive& archive) override { archive(distance_); }

  // Shows the target, as the original does: the offset is that of the first site.
  void Show(const Painter& paint) override {
    Sketch sketch(World());
    sketch.MoveSite(target_, Observed(kDesiredGoal), 0);
    sketch.Forward();
    sketch.Show(paint);
  }

  const bool is_sparse_ = IsSparse(options_);
  const bool has_object_ = HasObject(options_);
  const bool block_gripper_ = options_.Flag("block_gripper");
  const bool target_in_the_air_ = options_.Flag("target_in_the_air");
  const Vector target_offset_{options_.Number("target_offset_x"),
                              options_.Number("target_offset_y"),
                              options_.Number("target_offset_z")};
  const double object_range_ = options_.Number("obj_range");
  const double target_range_ = options_.Number("target_range");
  const double threshold_ = options_.Number("distance_threshold");
  const std::vector<Weld> welds_;
  const std::shared_ptr<const Start> start_;
  const int grip_ = World().Site("robot0:grip");
  const int target_ = World().Site("target0");
  int object_ = -1;
  int object_position_ = -1;
  std::array<int, 2> fingers_ = {};  // places in qpos
  std::array<int, 2> last_positions_ = {};
  std::array<int, 2> last_velocities_ = {};
  std::vector<int> actuated_;  // places in qpos that controls are relative to; -1: to nothing
  std::array<std::vector<double>, 2> jacobians_;  // of places and of rotations
  double distance_ = 0.0;                         // from the goal
};

[[maybe_unused]] const bool registered = RegisterRobot<Fetch>({
    .name = "Fetch",
    .frame_skip = 20,
    .action = Box("action", DType::kFloat32, {4}, {-1.0}, {1.0}),
    .options = {{"xml_file", "fetch/reach.xml", "the model: a path, or a name in the assets"},
                RewardType(),
                {"has_object", false, "move an object, instead of the gripper"},
                {"block_gripper", true, "keep the gripper closed"},
                {"target_in_the_air", true, "half of an object's targets are above the table"},
                {"gripper_extra_height", 0.2, "how far above its place the gripper begins, m"},
                {"target_offset_x", 0.0, "added to an object's target, m"},
                {"target_offset_y", 0.0, "added to an object's target, m"},
                {"target_offset_z", 0.0, "added to an object's target, which its height hides, m"},
                {"obj_range", 0.15, "how far from the gripper an object begins, m", kNotNegative},
                {"target_range", 0.15, "how far from the gripper targets are, m", kNotNegative},
                {"distance_threshold", 0.05, "how near counts as success, m", kNotNegative},
                {"initial_slide0", 0.4049, "where the robot begins: x, m"},
                {"initial_slide1", 0.48, "where the robot begins: y, m"},
                {"initial_slide2", 0.0, "where the robot begins: z, m"},
                {"initial_object_x", 1.25, "where the object is while the robot gets ready, m"},
                {"initial_object_y", 0.53, "where the object is while the robot gets ready, m"},
                {"initial_object_z", 0.4, "where the object is while the robot gets ready, m"}},
    .keys = KeysOf,
    .infos = [](const Options&) { return GoalInfos(); },
    .model = ModelOf,
    .camera = {"distance=2.5", "azimuth=132", "elevation=-14", "lookat=1.3,0.75,0.55"},
});

}  // namespace
}  // namespace envpool::robotics::fetch
