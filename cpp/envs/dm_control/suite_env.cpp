#include "dm_control/suite_env.h"

#include <algorithm>
#include <iterator>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "dm_control/suite_files.h"
#include "envpool/numpy_math.h"

namespace envpool::dm_control {

namespace {

std::shared_ptr<const mjModel> ModelOf(const Setup& setup) {
  return LoadSuiteModel("the model of " + setup.domain.name + ", " + setup.Task(),
                        setup.domain.xml(setup.Task()), setup.domain.assets);
}

bool IsFlat(const Options& options) { return options.Flag("flat_observation"); }

// The keys that results have. dm_control, where flat observations are from, knows only its own.
std::vector<std::size_t> ShownKeys(const Setup& setup) {
  const Keys keys = setup.domain.keys(setup.Task());
  const bool is_own = setup.options.Text("observation_keys") == "dm_control";
  if (is_own || IsFlat(setup.options)) return keys.own;
  std::vector<std::size_t> all(keys.all.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

// The arrays of an observation, without frame_stack.
std::vector<Key> ShownArrays(const Setup& setup) {
  const std::vector<Key> all = setup.domain.keys(setup.Task()).all;
  std::vector<Key> shown;
  for (const std::size_t key : ShownKeys(setup)) shown.push_back(all[key]);
  if (!IsFlat(setup.options)) return shown;
  std::size_t numbers = 0;
  for (const Key& key : shown) numbers += key.Size();
  return {{"observations", {static_cast<int>(numbers)}}};
}

// Not those of the model, because who only asks for a spec needs not wait until it is compiled.
Field ActionOf(const Setup& setup) {
  Actuators actuators = setup.domain.actuators(setup.Task());
  const auto count = static_cast<int>(actuators.low.size());
  return Box("action", DType::kFloat64, {count}, std::move(actuators.low),
             std::move(actuators.high));
}

// Throws std::runtime_error if the model has other actuators. dm_control's bounds of one without a
// range are MuJoCo's largest number.
void CheckActuators(const Setup& setup, const mjModel& model) {
  const Actuators expected = setup.domain.actuators(setup.Task());
  Actuators found;
  for (int i = 0; i < static_cast<int>(model.nu); ++i) {
    const bool is_limited = model.actuator_ctrllimited[i] != 0;
    found.low.push_back(is_limited ? model.actuator_ctrlrange[2 * i] : -mjMAXVAL);
    found.high.push_back(is_limited ? model.actuator_ctrlrange[2 * i + 1] : mjMAXVAL);
  }
  if (found.low == expected.low && found.high == expected.high) return;
  throw std::runtime_error("dm_control's model of " + setup.domain.name +
                           " has other actuators than expected");
}

Spec SpecOf(const Setup& setup) {
  const std::size_t frames = mujoco::FrameStack(setup.options);
  if (setup.options.Flag("from_pixels")) {
    if (IsFlat(setup.options)) {
      throw std::invalid_argument(
          "from_pixels and flat_observation are both True, expected one of them: pictures have no "
          "keys to be joined");
    }
    return {.observation = {mujoco::PixelsField(setup.options, frames)},
            .action = {ActionOf(setup)}};
  }
  Spec spec = {.observation_structure = Structure::kDict, .action = {ActionOf(setup)}};
  for (const Key& key : ShownArrays(setup)) spec.observation.push_back(key.Stacked(frames));
  return spec;
}

// What an environment holds at least.
std::size_t MemoryOf(const Setup& setup) {
  std::size_t numbers = 0;
  for (const Key& key : setup.domain.keys(setup.Task()).all) numbers += key.Size();
  return mujoco::MemoryOf(setup.options, numbers);
}

std::vector<OptionSpec> OptionsOf(const Domain& domain) {
  std::vector<OptionSpec> options = {
      {"task_name", domain.tasks.front(), "the task of the domain", {}, domain.tasks}};
  const auto add = [&options](std::vector<OptionSpec> more) {
    std::ranges::move(more, std::back_inserter(options));
  };
  add(mujoco::StepOptions(domain.frame_skip));
  add({{"observation_keys",
        "envpool",
        "which arrays: EnvPool's, those of all tasks of the domain; or dm_control's",
        {},
        {"envpool", "dm_control"}},
       {"flat_observation", false, "observe one array: all of dm_control's, joined in its order"},
       {"visualize_reward", false, "colour what is drawn by the last reward"}});
  add(mujoco::PictureOptions("320 x 240", {}));
  return options;
}

}  // namespace

Keys CommonKeys(std::vector<Key> all) {
  std::vector<std::size_t> own(all.size());
  std::iota(own.begin(), own.end(), std::size_t{0});
  return {std::move(all), std::move(own)};
}

Actuators Symmetric(int count, double limit) {
  const auto size = static_cast<std::size_t>(count);
  return {Bounds(size, -limit), Bounds(size, limit)};
}

SuiteEnv::SuiteEnv(const Setup& setup)
    : SimulatedEnv(setup.options, "dm_control's model", ModelOf(setup), mujoco::Style::kDmControl),
      task_(setup.Task()),
      shown_(ShownKeys(setup)),
      is_flat_(IsFlat(setup.options)),
      random_(0),
      observation_(setup.domain.keys(setup.Task()).all,
                   setup.options.Flag("from_pixels") ? 1 : mujoco::FrameStack(setup.options)) {
  CheckActuators(setup, World().Model());
  const auto materials = static_cast<std::size_t>(World().Model().nmat);
  if (setup.options.Flag("visualize_reward")) {
    colors_ = World().Own(&mjModel::mat_rgba, 4 * materials);
  }
}

void SuiteEnv::Seed(std::uint64_t seed, Random&) {
  random_ = RandomState(seed);
  InitializeModel(random_);
}

void SuiteEnv::Reset(Random&, const Options&) {
  World().ResetWhateverComes();
  InitializeEpisode(random_);
  if (!colors_.empty()) ShowReward(Reward());
  World().AfterReset();
  if (NotePicture(true)) return;
  WriteObservation(observation_);
  observation_.Fill();
}

StepResult SuiteEnv::Step(const Action& action, Random&) {
  std::ranges::copy(action.Values<double>(), World().Control().begin());
  World().Step(FrameSkip());
  const double reward = Reward();
  if (!colors_.empty()) ShowReward(reward);
  if (!NotePicture(false)) {
    observation_.Advance();
    WriteObservation(observation_);
  }
  return {.reward = reward, .terminated = HasTerminated()};
}

// Materials get the brighter, the higher the reward is.
void SuiteEnv::WriteObservation(Observation& out) {
  Write(out[0], World().Qpos());
  Write(out[1], World().Qvel());
}

void SuiteEnv::ShowReward(double reward) {
  const double blend = numpy::Power(numpy::Clip(reward, 0.0, 1.0), 4.0);
  const auto color = [this](const std::string& material) {
    const int id = World().Find(mjOBJ_MATERIAL, material.c_str());
    return colors_.subspan(4 * static_cast<std::size_t>(id), 4);
  };
  for (const std::string material : {"self", "effector", "target"}) {
    const std::span<const float> low = color(material + "_default");
    const std::span<const float> high = color(material + "_highlight");
    std::ranges::transform(high, low, color(material).begin(), [blend](double h, double l) {
      return static_cast<float>(blend * h + (1.0 - blend) * l);
    });
  }
}

void SuiteEnv::Observe(const Row& row) const {
  if (ObservePictures(row)) return;
  const std::span<const std::size_t> shown(shown_);
  if (is_flat_) return observation_.Join(shown, row.Observation<double>(0));
  for (std::size_t field = 0; field < shown.size(); ++field) {
    observation_.Join(shown.subspan(field, 1), row.Observation<double>(field));
  }
}

void SuiteEnv::Serialize(Archive& archive) {
  archive(random_, World(), observation_);
  SerializePictures(archive);
  SerializeMore(archive);
}

void SuiteEnv::RandomizeJoints(RandomState& random) {
  const mjModel& model = World().Model();
  double* const qpos = World().Data().qpos;
  for (int joint = 0; joint < static_cast<int>(model.njnt); ++joint) {
    const int type = model.jnt_type[joint];
    double* const position = qpos + model.jnt_qposadr[joint];
    if (type == mjJNT_BALL) throw std::logic_error("the suite has no ball joints");
    if (model.jnt_limited[joint] != 0) {
      if (type == mjJNT_FREE) continue;
      *position = random.Uniform(model.jnt_range[2 * joint], model.jnt_range[2 * joint + 1]);
    } else if (type == mjJNT_HINGE) {
      *position = random.Uniform(-std::numbers::pi, std::numbers::pi);
    } else if (type == mjJNT_FREE) {
      const std::span<double> rotation(position + 3, 4);
      for (double& element : rotation) element = random.Unit();
      const double norm = Norm(rotation);
      for (double& element : rotation) element /= norm;
    }
  }
}

void SuiteEnv::WriteHinges(std::span<double> angles, std::span<double> velocities) const {
  const mjModel& model = World().Model();
  std::size_t hinge = 0;
  for (int joint = 0; joint < static_cast<int>(model.njnt); ++joint) {
    if (model.jnt_type[joint] != mjJNT_HINGE) continue;
    angles[hinge] = World().Data().qpos[model.jnt_qposadr[joint]];
    velocities[hinge++] = World().Data().qvel[model.jnt_dofadr[joint]];
  }
}

double SuiteEnv::SmallControl() const {
  const std::span<const double> control = World().Control();
  const Interval interval = {.margin = 1.0, .sigmoid = Sigmoid::kQuadratic, .value_at_margin = 0.0};
  const double sum = numpy::Sum(
      control.size(), [&](std::size_t i) { return ToleranceOfElement(control[i], interval); });
  return (4.0 + sum / static_cast<double>(control.size())) / 5.0;
}

void Write(std::span<double> out, std::span<const double> values) {
  if (out.size() != values.size()) throw std::logic_error("an observation of another size");
  std::ranges::copy(values, out.begin());
}

std::function<std::string(const std::string& task)> ModelFile(std::string name) {
  return [name = std::move(name)](const std::string&) { return ReadSuiteFile(name); };
}

EnvType Describe(const Domain& domain) {
  return {
      .name = "Dmc" + domain.name,
      .options = OptionsOf(domain),
      .spec = [domain](const Options& options) { return SpecOf({domain, options}); },
      .memory = [domain](const Options& options) { return MemoryOf({domain, options}); },
      .frame_size = [](const Options&) { return FrameSize{320, 240}; },
      .render_fps =
          [domain](const Options& options) {
            return mujoco::StepsPerSecond(options, *ModelOf({domain, options}));
          },
  };
}

}  // namespace envpool::dm_control
