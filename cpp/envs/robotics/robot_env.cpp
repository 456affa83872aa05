#include "robotics/robot_env.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "mujoco/compiler.h"

namespace envpool::robotics {

namespace {

constexpr Limits kSteps = {.least = 1.0, .most = 1e6};

std::size_t FrameStack(const Options& options) {
  return static_cast<std::size_t>(options.Integer("frame_stack"));
}

Field FieldOf(const Key& key, std::size_t frame_stack) {
  std::vector<int> shape = {static_cast<int>(key.size)};
  if (frame_stack > 1) shape.insert(shape.begin(), static_cast<int>(frame_stack));
  return Box(key.name, DType::kFloat64, std::move(shape));
}

Spec SpecOf(const RobotType& type, const Options& options) {
  Spec spec = {.action = {type.action}, .info = type.infos(options)};
  if (options.Flag("from_pixels")) {
    spec.observation = {mujoco::PixelsField(options, FrameStack(options))};
    return spec;
  }
  if (type.observes_dict) spec.observation_structure = Structure::kDict;
  for (const Key& key : type.keys(options)) {
    spec.observation.push_back(FieldOf(key, FrameStack(options)));
  }
  return spec;
}

// What an environment holds at least.
std::size_t MemoryOf(const RobotType& type, const Options& options) {
  const std::size_t stacked = FrameStack(options);
  const std::size_t pictures = mujoco::PictureStackBytes(options, stacked);
  if (pictures > 0 || stacked == 1) return sizeof(mjData) + pictures;
  std::size_t numbers = 0;
  for (const Key& key : type.keys(options)) numbers += key.size;
  return sizeof(mjData) + stacked * numbers * sizeof(double);
}

double StepsPerSecond(const RobotType& type, const Options& options) {
  const auto steps = static_cast<double>(options.Integer("frame_skip"));
  return 1.0 / (type.model(options)->opt.timestep * steps);
}

std::vector<OptionSpec> OptionsOf(const RobotType& type) {
  std::vector<OptionSpec> options = {
      {"frame_skip", std::int64_t{type.frame_skip}, "simulation steps per step", kSteps},
      {"frame_stack", std::int64_t{1}, "how many observations to return, oldest first", kSteps}};
  std::ranges::copy(type.options, std::back_inserter(options));
  std::ranges::move(mujoco::PictureOptions("480"), std::back_inserter(options));
  std::ranges::move(mujoco::ViewOptions(type.camera), std::back_inserter(options));
  return options;
}

}  // namespace

Keys GoalKeys(std::size_t observation, std::size_t goal) {
  return {{"achieved_goal", goal}, {"desired_goal", goal}, {"observation", observation}};
}

RobotEnv::RobotEnv(const Options& options, const std::string& model_name,
                   std::shared_ptr<const mjModel> model, const Keys& keys)
    : frame_skip_(options.Integer("frame_skip")),
      frame_stack_(FrameStack(options)),
      world_(model_name, std::move(model)),
      view_(options, world_.Shared(), mujoco::Style::kGymnasium),
      pictures_(options, frame_stack_) {
  for (const Key& key : keys) starts_.push_back(starts_.back() + key.size);
  newest_.resize(starts_.back());
  if (frame_stack_ > 1 && pictures_.empty()) stack_.resize(frame_stack_ * newest_.size());
}

void RobotEnv::Reset(Random& random, const Options& options) {
  ResetEpisode(random, options);
  Stack(true);
}

StepResult RobotEnv::Step(const Action& action, Random& random) {
  const StepResult result = Advance(action, random);
  Stack(false);
  return result;
}

// Keeps what is observed now; it takes the place of all if the episode has just begun.
void RobotEnv::Stack(bool is_first) {
  const std::string warnings = world_.TakeWarnings();
  if (!warnings.empty()) Warn(warnings);
  if (!pictures_.empty()) {
    return Show(
        [&](const mjModel& model, mjData& data) { pictures_.Add(view_, model, data, is_first); });
  }
  if (stack_.empty()) return;
  const auto size = static_cast<std::ptrdiff_t>(newest_.size());
  std::copy(stack_.begin() + size, stack_.end(), stack_.begin());
  for (auto place = stack_.end() - size;; place -= size) {
    std::ranges::copy(newest_, place);
    if (!is_first || place == stack_.begin()) return;
  }
}

void RobotEnv::Render(const Frame& frame) {
  Show([&](const mjModel& model, mjData& data) { view_.Draw(model, data, frame); });
}

void RobotEnv::Observe(const Row& row) const {
  WriteInfo(row);
  if (!pictures_.empty()) {
    std::ranges::copy(pictures_.Pixels(), row.Observation<std::uint8_t>().begin());
    return;
  }
  const std::vector<double>& rows = stack_.empty() ? newest_ : stack_;
  for (std::size_t key = 0; key + 1 < starts_.size(); ++key) {
    auto out = row.Observation<double>(key).begin();
    const std::size_t size = starts_[key + 1] - starts_[key];
    for (std::size_t start = starts_[key]; start < rows.size(); start += newest_.size()) {
      out = std::ranges::copy(std::span(rows).subspan(start, size), out).out;
    }
  }
}

void RobotEnv::Serialize(Archive& archive) {
  world_.Serialize(archive);
  archive(std::span(newest_), std::span(stack_));
  pictures_.Serialize(archive);
  view_.Serialize(archive);
  SerializeMore(archive);
}

std::string RobotEnv::Fingerprint() const {
  std::ostringstream text;
  text << "content of the model=" << std::hex << mujoco::ContentOf(world_.Shared());
  return text.str();
}

EnvType Describe(const RobotType& type) {
  return {
      .name = "GymnasiumRobotics" + type.name,
      .options = OptionsOf(type),
      .reset_options = type.reset_options,
      .check_reset_options = type.check_reset_options,
      .spec = [type](const Options& options) { return SpecOf(type, options); },
      .memory = [type](const Options& options) { return MemoryOf(type, options); },
      .frame_size = [](const Options&) { return FrameSize{480, 480}; },
      .render_fps = [type](const Options& options) { return StepsPerSecond(type, options); },
  };
}

}  // namespace envpool::robotics
