#include "mujoco_gym/mujoco_env.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "envpool/numpy_math.h"
#include "mujoco/compiler.h"
#include "mujoco/data_state.h"
#include "mujoco/engine.h"

namespace envpool::mujoco {

namespace {

std::int64_t AtLeastOne(const Options& options, const std::string& name) {
  const std::int64_t value = options.Integer(name);
  if (value < 1 || value > 1'000'000) {
    throw std::invalid_argument(name + " is " + std::to_string(value) + ", expected 1 <= " + name +
                                " <= 1000000");
  }
  return value;
}

int ReadVersion(const Options& options) {
  const std::int64_t version = options.Integer("version");
  if (version != 4 && version != 5) {
    throw std::invalid_argument("version is " + std::to_string(version) + ", expected 4 or 5");
  }
  return static_cast<int>(version);
}

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

void ObservationWriter::Add(const double* values, std::size_t size) {
  if (!counts_) {
    if (size > out_.size() - size_) throw std::logic_error("the observation is too long");
    std::copy_n(values, size, out_.begin() + static_cast<std::ptrdiff_t>(size_));
  }
  size_ += size;
}

void ObservationWriter::AddClipped(const double* values, std::size_t size, double low,
                                   double high) {
  for (std::size_t i = 0; i < size; ++i) Add(numpy::Clip(values[i], low, high));
}

MujocoEnv::MujocoEnv(const Options& options)
    : version_(ReadVersion(options)),
      noise_(options.Has("reset_noise_scale") ? options.Number("reset_noise_scale") : 0.0),
      xml_file_(options.Text("xml_file")),
      model_(ModelOf(options)),
      frame_skip_(AtLeastOne(options, "frame_skip")),
      frame_stack_(AtLeastOne(options, "frame_stack")),
      post_constraint_(options.Flag("post_constraint")),
      view_(options, model_, Style::kGymnasium),
      pictures_(options, static_cast<std::size_t>(frame_stack_)) {
  MakeState();
}

void MujocoEnv::Require(std::size_t nq, std::size_t nv) const {
  if (Nq() >= nq && Nv() >= nv) return;
  throw std::invalid_argument("xml_file " + xml_file_ + ": the model has " + std::to_string(Nq()) +
                              " positions and " + std::to_string(Nv()) +
                              " velocities, expected at least " + std::to_string(nq) + " and " +
                              std::to_string(nv));
}

int MujocoEnv::RequireBody(const std::string& name) const {
  const int body = FindBody(*model_, name);
  if (body >= 0) return body;
  throw std::invalid_argument("xml_file " + xml_file_ + ": the model has no body '" + name + "'");
}

void MujocoEnv::Reset(Random& random, const Options&) {
  if (std::exchange(is_damaged_, true)) MakeState();
  std::string warning = RunEngine([this] { mj_resetData(model_.get(), data_.get()); });
  ResetModel(random);
  warning += RunEngine([this] { mj_forward(model_.get(), data_.get()); });
  is_damaged_ = false;
  if (!warning.empty()) Warn(warning);
  std::ranges::fill(info_, 0.0);
  SetResetInfo();
  StackObservation(true);
}

StepResult MujocoEnv::Step(const Action& action, Random&) {
  const StepResult result = Advance(action);
  StackObservation(false);
  return result;
}

void MujocoEnv::Simulate(const Action& action) {
  std::ranges::copy(action.Values<double>(), data_->ctrl);
  is_damaged_ = true;
  const std::string warning = RunEngine([this] {
    for (std::int64_t i = 0; i < frame_skip_; ++i) mj_step(model_.get(), data_.get());
    if (needs_contact_forces_) mj_rnePostConstraint(model_.get(), data_.get());
  });
  is_damaged_ = false;
  if (!warning.empty()) Warn(warning);
}

// Keeps the last observations, if there are to be several, or pictures.
void MujocoEnv::StackObservation(bool is_first) {
  if (!pictures_.empty()) return pictures_.Add(view_, *model_, *data_, is_first);
  if (frame_stack_ == 1) return;
  SizeStack();
  const auto count = static_cast<std::size_t>(frame_stack_);
  const std::size_t size = stack_.size() / count;
  std::copy(stack_.begin() + static_cast<std::ptrdiff_t>(size), stack_.end(), stack_.begin());
  ObservationWriter newest(std::span<double>(stack_).last(size));
  WriteObservation(newest);
  for (std::size_t i = 0; is_first && i + 1 < count; ++i) {
    std::copy_n(stack_.end() - static_cast<std::ptrdiff_t>(size), size,
                stack_.begin() + static_cast<std::ptrdiff_t>(i * size));
  }
}

// Not in the constructor, where nobody knows yet what is observed.
void MujocoEnv::SizeStack() {
  if (stack_.empty()) stack_.resize(static_cast<std::size_t>(frame_stack_) * ObservationSize());
}

void MujocoEnv::Observe(const Row& row) const {
  WriteInfo(row);
  if (!pictures_.empty()) {
    std::ranges::copy(pictures_.Pixels(), row.Observation<std::uint8_t>().begin());
    return;
  }
  const std::span<double> out = row.Observation<double>();
  if (frame_stack_ == 1) {
    ObservationWriter writer(out);
    WriteObservation(writer);
    if (writer.Size() < out.size()) throw std::logic_error("the observation is too short");
  } else {
    std::ranges::copy(stack_, out.begin());
  }
}

std::size_t MujocoEnv::ObservationSize() const {
  ObservationWriter counter;
  WriteObservation(counter);
  return counter.Size();
}

void MujocoEnv::WriteInfo(const Row& row) const {
  for (std::size_t i = 0; i < info_.size(); ++i) row.Info<double>(i)[0] = info_[i];
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

double MujocoEnv::SumOfSquaredControls() const {
  return numpy::SumOfSquares(
      std::span<const double>(data_->ctrl, static_cast<std::size_t>(model_->nu)));
}

double MujocoEnv::SumOfSquaredContacts() const {
  return numpy::SumOfSquares(std::span<const double>(data_->cfrc_ext, 6 * Nbody()));
}

bool MujocoEnv::IsFinite() const {
  const auto is_finite = [](double x) { return std::isfinite(x); };
  return std::all_of(data_->qpos, data_->qpos + Nq(), is_finite) &&
         std::all_of(data_->qvel, data_->qvel + Nv(), is_finite);
}

void MujocoEnv::SetUniform(double* values, const double* base, std::size_t size, double scale,
                           Random& random) const {
  for (std::size_t i = 0; i < size; ++i) values[i] = base[i] + random.Uniform(-scale, scale);
}

// qvel is 0 after mj_resetData, as Gymnasium's init_qvel is.
void MujocoEnv::ResetWithUniformNoise(Random& random) {
  SetUniform(data_->qpos, model_->qpos0, Nq(), noise_, random);
  SetUniform(data_->qvel, data_->qvel, Nv(), noise_, random);
}

void MujocoEnv::ResetWithNormalNoise(Random& random) {
  SetUniform(data_->qpos, model_->qpos0, Nq(), noise_, random);
  for (std::size_t i = 0; i < Nv(); ++i) data_->qvel[i] += noise_ * random.Normal();
}

void MujocoEnv::Serialize(Archive& archive) {
  if (archive.IsReader() && std::exchange(is_damaged_, true)) MakeState();
  SerializeState(*model_, *data_, "xml_file " + xml_file_, archive);
  if (archive.IsReader()) is_damaged_ = false;
  SerializeDerived(*model_, *data_, archive);
  if (frame_stack_ > 1) SizeStack();
  archive(std::span(info_), std::span(stack_));
  pictures_.Serialize(archive);
  view_.Serialize(archive);
  SerializeMore(archive);
}

std::string MujocoEnv::Fingerprint() const {
  std::ostringstream text;
  text << "content of xml_file=" << std::hex << ContentOf(model_);
  return text.str();
}

std::size_t FrameStack(const Options& options) {
  return static_cast<std::size_t>(AtLeastOne(options, "frame_stack"));
}

std::shared_ptr<const mjModel> ModelOf(const Options& options) {
  return LoadModel(options.Text("xml_file"));
}

EnvType Describe(MujocoType type) {
  EnvType described = {
      .name = std::move(type.name),
      .options = {{"version", std::int64_t{5}, "the version of Gymnasium's environment, 4 or 5"},
                  {"xml_file", type.xml_file, "the model: a path, or a name in Gymnasium's assets"},
                  {"frame_skip", std::int64_t{type.frame_skip}, "simulation steps per step"},
                  {"frame_stack", std::int64_t{1}, "how many observations to return, oldest first"},
                  {"post_constraint", true, "compute contact forces where they are used"}},
      .state_version = 2,
      .frame_size = [](const Options&) { return FrameSize{480, 480}; },
      .render_fps =
          [](const Options& options) {
            return 1.0 / (ModelOf(options)->opt.timestep *
                          static_cast<double>(AtLeastOne(options, "frame_skip")));
          }};
  std::ranges::move(PictureOptions("480"), std::back_inserter(described.options));
  std::ranges::move(ViewOptions(std::move(type.camera)), std::back_inserter(described.options));
  std::ranges::move(type.options, std::back_inserter(described.options));
  return described;
}

OptionSpec ResetNoise(double scale) {
  return {"reset_noise_scale", scale, "scale of the initial state's noise", kFloat32NotNegative};
}

namespace {

Field ObservationField(const Options& options, std::size_t size) {
  const std::size_t frame_stack = FrameStack(options);
  if (options.Flag("from_pixels")) return PixelsField(options, frame_stack);
  std::vector<int> shape = {static_cast<int>(size)};
  if (frame_stack > 1) shape.insert(shape.begin(), static_cast<int>(frame_stack));
  return Box("obs", DType::kFloat64, std::move(shape));
}

}  // namespace

Spec MujocoSpec(const Options& options, std::size_t size, std::vector<Field> info) {
  const std::shared_ptr<const mjModel> model = ModelOf(options);
  Bounds low;
  Bounds high;
  for (int i = 0; i < static_cast<int>(model->nu); ++i) {
    low.push_back(model->actuator_ctrlrange[2 * i]);
    high.push_back(model->actuator_ctrlrange[2 * i + 1]);
  }
  return {.observation = {ObservationField(options, size)},
          .action = {Box("action", DType::kFloat64, {static_cast<int>(model->nu)}, std::move(low),
                         std::move(high))
                         .RecordType()},
          .info = std::move(info)};
}

}  // namespace envpool::mujoco
