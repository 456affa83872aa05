#include "mujoco_gym/mujoco_env.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "envpool/numpy_math.h"
#include "numerics/products.h"
#include "numerics/settings.h"

namespace envpool::mujoco {
namespace {

// What this library cannot find out by itself.
[[maybe_unused]] const bool registered = numerics::Register(
    {{"asset_folder", "", "where models are that are named without a folder: Gymnasium's"}},
    [](const Options& settings) { SetAssetFolder(settings.Text("asset_folder")); });

}  // namespace

Range ReadRange(const Options& options, const std::string& name) {
  const auto& values = options.Get<std::vector<double>>(name);
  if (values.size() == 2 && values[0] <= values[1]) return {values[0], values[1]};
  std::ostringstream message;
  message << name << " is [";
  for (std::size_t i = 0; i < values.size(); ++i) message << (i == 0 ? "" : ", ") << values[i];
  message << "], expected two numbers, the lesser one first";
  throw std::invalid_argument(message.str());
}

int FindBody(const mjModel& model, const std::string& name) {
  const bool is_number = !name.empty() && name.size() < 10 &&
                         std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c); });
  const int id = is_number ? std::stoi(name) : mj_name2id(&model, mjOBJ_BODY, name.c_str());
  return id < static_cast<int>(model.nbody) ? id : -1;
}

void SetUniform(std::span<double> values, std::span<const double> base, double scale,
                Random& random) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = base[i] + random.Uniform(-scale, scale);
  }
}

MujocoEnv::MujocoEnv(const Options& options)
    : SimulatedEnv(options, "xml_file " + options.Text("xml_file"), ModelOf(options),
                   Style::kGymnasium),
      options_(options),
      version_(static_cast<int>(options.Integer("version"))),
      noise_(options.Has("reset_noise_scale") ? options.Number("reset_noise_scale") : 0.0),
      frame_stack_(FrameStack(options)),
      post_constraint_(options.Flag("post_constraint")),
      beginning_(World(), options) {}

void MujocoEnv::Require(std::size_t nq, std::size_t nv) const {
  const std::size_t positions = World().Qpos().size();
  const std::size_t velocities = World().Qvel().size();
  if (positions >= nq && velocities >= nv) return;
  throw std::invalid_argument(World().Name() + ": the model has " + std::to_string(positions) +
                              " positions and " + std::to_string(velocities) +
                              " velocities, expected at least " + std::to_string(nq) + " and " +
                              std::to_string(nv));
}

int MujocoEnv::RequireBody(const std::string& name) const {
  const int body = FindBody(World().Model(), name);
  if (body >= 0) return body;
  throw std::invalid_argument(World().Name() + ": the model has no body '" + name + "'");
}

void MujocoEnv::Reset(Random& random, const Options& options) {
  beginning_.Draw(random, options);
  World().Reset();
  ResetModel(random);
  beginning_.ChangeState();
  World().Forward();
  std::ranges::fill(info_, 0.0);
  if (version_ == 5) SetResetInfo();
  StackObservation(true);
}

StepResult MujocoEnv::Step(const Action& action, Random&) {
  const StepResult result = Advance(action);
  StackObservation(false);
  return result;
}

void MujocoEnv::Simulate(const Action& action) {
  std::ranges::copy(action.Values<double>(), World().Control().begin());
  World().Run([this](const mjModel& model, mjData& data) {
    for (std::int64_t i = 0; i < FrameSkip(); ++i) mj_step(&model, &data);
    if (needs_contact_forces_) mj_rnePostConstraint(&model, &data);
  });
}

// Keeps the last observations, if there are to be several, or pictures.
void MujocoEnv::StackObservation(bool is_first) {
  if (NotePicture(is_first) || frame_stack_ == 1) return;
  SizeStack();
  const std::size_t size = stack_.size() / frame_stack_;
  std::copy(stack_.begin() + static_cast<std::ptrdiff_t>(size), stack_.end(), stack_.begin());
  ObservationWriter newest(std::span<double>(stack_).last(size));
  WriteObservation(newest);
  for (std::size_t i = 0; is_first && i + 1 < frame_stack_; ++i) {
    std::copy_n(stack_.end() - static_cast<std::ptrdiff_t>(size), size,
                stack_.begin() + static_cast<std::ptrdiff_t>(i * size));
  }
}

// Not in the constructor, where nobody knows yet what is observed.
void MujocoEnv::SizeStack() {
  if (stack_.empty()) stack_.resize(frame_stack_ * ObservationSize());
}

void MujocoEnv::Observe(const Row& row) const {
  WriteInfo(row);
  if (ObservePictures(row)) return;
  ObserveCameras(row, 1);
  const std::span<double> out = row.Observation<double>();
  if (frame_stack_ == 1) {
    ObservationWriter writer(out);
    WriteObservation(writer);
    writer.RequireFull();
  } else {
    std::ranges::copy(stack_, out.begin());
  }
}

std::size_t MujocoEnv::ObservationSize() const {
  ObservationWriter counter;
  WriteObservation(counter);
  return counter.Size();
}

void MujocoEnv::SizeInfo(const std::vector<Field>& infos) {
  const auto is_number = [](const Field& field) {
    return field.shape.empty() && field.dtype == DType::kFloat64;
  };
  info_.resize(static_cast<std::size_t>(std::ranges::count_if(infos, is_number)));
}

void MujocoEnv::WriteInfo(const Row& row) const {
  for (std::size_t i = 0; i < info_.size(); ++i) row.Info<double>(i)[0] = info_[i];
}

void MujocoEnv::SetPlaceInfo() {
  const std::span<const double> place = World().Qpos().first(2);
  std::ranges::copy(place, info_.begin());
  info_[2] = numerics::Norm(place);
}

double MujocoEnv::ControlCost(const Action& action, double weight) const {
  const std::span<const double> values = action.Values<double>();
  if (action.CameAs() != DType::kFloat32) return weight * numpy::SumOfSquares(values);
  const float sum = numpy::LongSum(values.size(), [values](std::size_t i) {
    const auto value = static_cast<float>(values[i]);
    return value * value;
  });
  return static_cast<float>(weight) * sum;
}

std::span<const double> MujocoEnv::InitialPositions() const {
  return {World().Model().qpos0, World().Qpos().size()};
}

// qvel is 0 after mj_resetData, as Gymnasium's init_qvel is.
void MujocoEnv::ResetWithUniformNoise(Random& random) {
  SetUniform(World().Qpos(), InitialPositions(), noise_, random);
  SetUniform(World().Qvel(), World().Qvel(), noise_, random);
}

void MujocoEnv::ResetWithNormalNoise(Random& random) {
  SetUniform(World().Qpos(), InitialPositions(), noise_, random);
  for (double& velocity : World().Qvel()) velocity += noise_ * random.Normal();
}

void MujocoEnv::Serialize(Archive& archive) {
  beginning_.Serialize(archive);
  World().Serialize(archive);
  if (frame_stack_ > 1) SizeStack();
  archive(std::span(info_), std::span(stack_));
  SerializePictures(archive);
  SerializeMore(archive);
}

std::string MujocoEnv::Fingerprint() const {
  return "content of xml_file=" + ContentOf(World().Shared());
}

std::shared_ptr<const mjModel> ModelOf(const Options& options) {
  return LoadModel(options.Text("xml_file"));
}

EnvType Describe(MujocoType type) {
  constexpr Limits kVersions = {.least = 4.0, .most = 5.0};
  EnvType described = {
      .name = std::move(type.name),
      .options = {{"version", std::int64_t{5}, "the version of Gymnasium's environment", kVersions},
                  {"xml_file", type.xml_file, "the model: a path, or a name in Gymnasium's assets"},
                  RandomiseOption()},
      .reset_options = ArraysOfResets(),
      .state_version = 3,
      .frame_size = [](const Options&) { return FrameSize{480, 480}; },
      .render_fps =
          [](const Options& options) { return StepsPerSecond(options, *ModelOf(options)); }};
  const auto add = [&described](std::vector<OptionSpec> options) {
    std::ranges::move(options, std::back_inserter(described.options));
  };
  add(StepOptions(type.frame_skip));
  add({{"post_constraint", true, "compute contact forces where they are used"}});
  add(PictureOptions("480", std::move(type.camera)));
  add(CameraOptions());
  add(std::move(type.options));
  return described;
}

OptionSpec ResetNoise(double scale) {
  return {"reset_noise_scale", scale, "scale of the initial state's noise", kFloat32NotNegative};
}

Spec MujocoSpec(const Options& options, std::size_t size, std::vector<Field> info) {
  const std::shared_ptr<const mjModel> model = ModelOf(options);
  Bounds low;
  Bounds high;
  for (int i = 0; i < static_cast<int>(model->nu); ++i) {
    low.push_back(model->actuator_ctrlrange[2 * i]);
    high.push_back(model->actuator_ctrlrange[2 * i + 1]);
  }
  const std::size_t frames = FrameStack(options);
  const Key key{"obs", {static_cast<int>(size)}};
  Spec spec{.observation = {options.Flag("from_pixels") ? PixelsField(options, frames)
                                                        : key.Stacked(frames)},
            .action = {Box("action", DType::kFloat64, {static_cast<int>(model->nu)}, std::move(low),
                           std::move(high))
                           .RecordType()},
            .info = std::move(info)};
  AddCameras(options, *model, spec);
  return spec;
}

}  // namespace envpool::mujoco
