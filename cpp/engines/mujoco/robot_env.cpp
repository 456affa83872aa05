#include "mujoco/robot_env.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace envpool::mujoco {

RobotEnv::RobotEnv(const Options& options, Unstable unstable)
    : SimulatedEnv(options, "xml_file " + options.Text("xml_file"), ModelOf(options),
                   Style::kGymnasium),
      options_(options),
      unstable_(unstable),
      frame_stack_(FrameStack(options)),
      beginning_(World(), options) {}

void RobotEnv::Reset(Random& random, const Options& options) {
  beginning_.Draw(random, options);
  World().Reset();
  ResetModel(random);
  beginning_.ChangeState();
  World().Forward();
  std::ranges::fill(info_, 0.0);
  SetResetInfo();
  StackObservation(true);
}

StepResult RobotEnv::Step(const Action& action, Random&) {
  const std::size_t infos = info_.size();
  const StepResult result = Advance(action);
  if (info_.size() != infos) {
    throw std::logic_error("Advance has set " + std::to_string(info_.size()) + " infos, expected " +
                           std::to_string(infos));
  }
  StackObservation(false);
  return result;
}

void RobotEnv::Simulate(const Action& action) {
  std::ranges::copy(action.Values<double>(), World().Control().begin());
  World().Run([this](const mjModel& model, mjData& data) {
    for (std::int64_t i = 0; i < FrameSkip(); ++i) mj_step(&model, &data);
    if (needs_contact_forces_) mj_rnePostConstraint(&model, &data);
  });
  if (unstable_ == Unstable::kFails) World().RequireStable();
}

// Keeps the last observations, if there are to be several, or pictures.
void RobotEnv::StackObservation(bool is_first) {
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
void RobotEnv::SizeStack() {
  if (stack_.empty()) stack_.resize(frame_stack_ * ObservationSize());
}

void RobotEnv::Observe(const Row& row) const {
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

std::size_t RobotEnv::ObservationSize() const {
  ObservationWriter counter;
  WriteObservation(counter);
  return counter.Size();
}

void RobotEnv::SizeInfo(const std::vector<Field>& infos) {
  const auto is_number = [](const Field& field) {
    return field.shape.empty() && field.dtype == DType::kFloat64;
  };
  info_.resize(static_cast<std::size_t>(std::ranges::count_if(infos, is_number)));
}

void RobotEnv::WriteInfo(const Row& row) const {
  for (std::size_t i = 0; i < info_.size(); ++i) row.Info<double>(i)[0] = info_[i];
}

void RobotEnv::Serialize(Archive& archive) {
  beginning_.Serialize(archive);
  World().Serialize(archive);
  if (frame_stack_ > 1) SizeStack();
  archive(std::span(info_), std::span(stack_));
  SerializePictures(archive);
  SerializeMore(archive);
}

std::string RobotEnv::Fingerprint() const {
  return "content of xml_file=" + ContentOf(World().Shared());
}

std::shared_ptr<const mjModel> ModelOf(const Options& options) {
  return LoadModel(options.Text("xml_file"));
}

EnvType Describe(RobotType type) {
  EnvType described = {
      .name = std::move(type.name),
      .options = {{"xml_file", type.xml_file, "the model: a path, or a name in the models' folder"},
                  RandomiseOption()},
      .reset_options = ArraysOfResets(),
      .state_version = type.state_version,
      .frame_size = [](const Options&) { return FrameSize{480, 480}; },
      .render_fps =
          [](const Options& options) { return StepsPerSecond(options, *ModelOf(options)); }};
  for (std::vector<OptionSpec> options :
       {StepOptions(type.frame_skip), PictureOptions("480", std::move(type.camera)),
        CameraOptions(), std::move(type.options)}) {
    std::ranges::move(options, std::back_inserter(described.options));
  }
  return described;
}

Options WithoutStack(Options options) {
  options.Set("frame_stack", std::int64_t{1});
  options.Set("from_pixels", false);
  return options;
}

Spec RobotSpec(const Options& options, std::size_t size, std::vector<Field> info) {
  const std::size_t frames = FrameStack(options);
  const Key key{"obs", {static_cast<int>(size)}};
  const std::shared_ptr<const mjModel> model = ModelOf(options);
  Spec spec{.observation = {options.Flag("from_pixels") ? PixelsField(options, frames)
                                                        : key.Stacked(frames)},
            .action = {ControlsOf(*model)},
            .info = std::move(info)};
  AddCameras(options, *model, spec);
  return spec;
}

bool RegisterAssetFolder() {
  if (ThisFamily().configure) return true;
  return RegisterSettings(
      {{"asset_folder", "", "where models are that are named without a folder"}},
      [](const Options& settings) { SetAssetFolder(settings.Text("asset_folder")); });
}

}  // namespace envpool::mujoco
