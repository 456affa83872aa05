#include "dm_control/suite_env.h"

#include <algorithm>
#include <iterator>
#include <numbers>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "dm_control/suite_files.h"
#include "envpool/numpy_math.h"
#include "mujoco/compiler.h"

namespace envpool::dm_control {

namespace {

constexpr Limits kSteps = {.least = 1.0, .most = 1e6};

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

Field FieldOf(const Key& key, std::int64_t frame_stack) {
  std::vector<int> shape = key.shape;
  if (frame_stack > 1) shape.insert(shape.begin(), static_cast<int>(frame_stack));
  return Box(key.name, DType::kFloat64, std::move(shape));
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

std::size_t FrameStack(const Options& options) {
  return static_cast<std::size_t>(options.Integer("frame_stack"));
}

Spec SpecOf(const Setup& setup) {
  if (setup.options.Flag("from_pixels")) {
    if (IsFlat(setup.options)) {
      throw std::invalid_argument(
          "from_pixels and flat_observation are both True, expected one of them: pictures have no "
          "keys to be joined");
    }
    return {.observation = {mujoco::PixelsField(setup.options, FrameStack(setup.options))},
            .action = {ActionOf(setup)}};
  }
  Spec spec = {.observation_structure = Structure::kDict, .action = {ActionOf(setup)}};
  for (const Key& key : ShownArrays(setup)) {
    spec.observation.push_back(FieldOf(key, setup.options.Integer("frame_stack")));
  }
  return spec;
}

double StepsPerSecond(const Setup& setup) {
  const auto steps = static_cast<double>(setup.options.Integer("frame_skip"));
  return 1.0 / (ModelOf(setup)->opt.timestep * steps);
}

// What an environment holds at least.
std::size_t MemoryOf(const Setup& setup) {
  const std::size_t stacked = FrameStack(setup.options);
  const std::size_t pictures = mujoco::PictureStackBytes(setup.options, stacked);
  if (pictures > 0) return sizeof(mjData) + pictures;
  std::size_t numbers = 0;
  for (const Key& key : setup.domain.keys(setup.Task()).all) numbers += key.Size();
  return sizeof(mjData) + stacked * (sizeof(Observation) + numbers * sizeof(double));
}

std::vector<OptionSpec> OptionsOf(const Domain& domain) {
  std::vector<OptionSpec> options = {
      {"task_name", domain.tasks.front(), "the task of the domain", {}, domain.tasks},
      {"frame_skip", domain.frame_skip, "simulation steps per step", kSteps},
      {"frame_stack", std::int64_t{1}, "how many observations to return, oldest first", kSteps},
      {"observation_keys",
       "envpool",
       "which arrays: EnvPool's, those of all tasks of the domain; or dm_control's",
       {},
       {"envpool", "dm_control"}},
      {"flat_observation", false, "observe one array: all of dm_control's, joined in its order"},
      {"visualize_reward", false, "colour what is drawn by the last reward"}};
  std::ranges::move(mujoco::PictureOptions("320 x 240"), std::back_inserter(options));
  std::ranges::move(mujoco::ViewOptions({}), std::back_inserter(options));
  return options;
}

}  // namespace

std::size_t Key::Size() const {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

Keys CommonKeys(std::vector<Key> all) {
  std::vector<std::size_t> own(all.size());
  std::iota(own.begin(), own.end(), std::size_t{0});
  return {std::move(all), std::move(own)};
}

Actuators Symmetric(int count, double limit) {
  const auto size = static_cast<std::size_t>(count);
  return {Bounds(size, -limit), Bounds(size, limit)};
}

Observation::Observation(const std::vector<Key>& keys) {
  for (const Key& key : keys) starts_.push_back(starts_.back() + key.Size());
  values_.resize(starts_.back());
}

SuiteEnv::SuiteEnv(const Setup& setup)
    : shown_(ShownKeys(setup)),
      is_flat_(IsFlat(setup.options)),
      frame_skip_(setup.options.Integer("frame_skip")),
      frame_stack_(FrameStack(setup.options)),
      physics_(ModelOf(setup)),
      random_(0),
      observations_(setup.options.Flag("from_pixels") ? 1 : frame_stack_,
                    Observation(setup.domain.keys(setup.Task()).all)),
      view_(setup.options, physics_.Shared(), mujoco::Style::kDmControl),
      pictures_(setup.options, frame_stack_) {
  CheckActuators(setup, physics_.Model());
  const auto materials = static_cast<std::size_t>(physics_.Model().nmat);
  if (setup.options.Flag("visualize_reward")) {
    colors_ = physics_.Own(&mjModel::mat_rgba, 4 * materials);
  }
}

void SuiteEnv::Seed(std::uint64_t seed, Random&) {
  random_ = RandomState(seed);
  InitializeModel(random_);
}

void SuiteEnv::Reset(Random&, const Options&) {
  physics_.ResetWhateverComes();
  InitializeEpisode(random_);
  if (!colors_.empty()) ShowReward(Reward());
  physics_.AfterReset();
  Stack(true);
}

StepResult SuiteEnv::Step(const Action& action, Random&) {
  std::ranges::copy(action.Values<double>(), physics_.State().ctrl);
  physics_.Step(frame_skip_);
  const double reward = Reward();
  if (!colors_.empty()) ShowReward(reward);
  Stack(false);
  return {.reward = reward, .terminated = HasTerminated()};
}

// Materials get the brighter, the higher the reward is.
void SuiteEnv::ShowReward(double reward) {
  const double blend = numpy::Power(numpy::Clip(reward, 0.0, 1.0), 4.0);
  const auto color = [this](const std::string& material) {
    const int id = physics_.Find(mjOBJ_MATERIAL, material.c_str());
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

// Keeps what is observed now; it takes the place of all if the episode has just begun.
void SuiteEnv::Stack(bool is_first) {
  if (!pictures_.empty()) {
    return pictures_.Add(view_, physics_.Model(), physics_.State(), is_first);
  }
  if (observations_.size() > 1) {
    std::rotate(observations_.begin(), observations_.begin() + 1, observations_.end());
  }
  WriteObservation(observations_.back());
  if (is_first) std::fill(observations_.begin(), observations_.end() - 1, observations_.back());
}

void SuiteEnv::Render(const Frame& frame) { view_.Draw(physics_.Model(), physics_.State(), frame); }

void SuiteEnv::Observe(const Row& row) const {
  if (!pictures_.empty()) {
    std::ranges::copy(pictures_.Pixels(), row.Observation<std::uint8_t>().begin());
    return;
  }
  const std::span<const std::size_t> shown(shown_);
  if (is_flat_) return Join(shown, row.Observation<double>(0));
  for (std::size_t field = 0; field < shown.size(); ++field) {
    Join(shown.subspan(field, 1), row.Observation<double>(field));
  }
}

// Writes arrays one behind the other, observation by observation.
void SuiteEnv::Join(std::span<const std::size_t> keys, std::span<double> array) const {
  auto out = array.begin();
  for (const Observation& observation : observations_) {
    for (const std::size_t key : keys) out = std::ranges::copy(observation[key], out).out;
  }
}

void SuiteEnv::Serialize(Archive& archive) {
  archive(random_);
  physics_.Serialize(archive);
  archive(std::span(observations_));
  pictures_.Serialize(archive);
  view_.Serialize(archive);
  SerializeMore(archive);
}

std::string SuiteEnv::Fingerprint() const {
  std::ostringstream text;
  text << "content of the model=" << std::hex << mujoco::ContentOf(physics_.Shared());
  return text.str();
}

void SuiteEnv::RandomizeJoints(RandomState& random) {
  const mjModel& model = physics_.Model();
  double* const qpos = physics_.State().qpos;
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

double SuiteEnv::SmallControl() const {
  const std::span<const double> control = physics_.Control();
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
      .render_fps = [domain](const Options& options) { return StepsPerSecond({domain, options}); },
  };
}

}  // namespace envpool::dm_control
