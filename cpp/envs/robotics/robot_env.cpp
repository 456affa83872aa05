#include "robotics/robot_env.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace envpool::robotics {

namespace {

Spec SpecOf(const RobotType& type, const Options& options) {
  const std::size_t frames = mujoco::FrameStack(options);
  Spec spec = {.action = {type.action}, .info = type.infos(options)};
  if (options.Flag("from_pixels")) {
    spec.observation = {mujoco::PixelsField(options, frames)};
    return spec;
  }
  if (type.observes_dict) spec.observation_structure = Structure::kDict;
  for (const Key& key : type.keys(options)) spec.observation.push_back(key.Stacked(frames));
  return spec;
}

// What an environment holds at least.
std::size_t MemoryOf(const RobotType& type, const Options& options) {
  std::size_t numbers = 0;
  for (const Key& key : type.keys(options)) numbers += key.Size();
  return mujoco::MemoryOf(options, numbers);
}

std::vector<OptionSpec> OptionsOf(const RobotType& type) {
  std::vector<OptionSpec> options = mujoco::StepOptions(type.frame_skip);
  std::ranges::copy(type.options, std::back_inserter(options));
  std::ranges::move(mujoco::PictureOptions("480", type.camera), std::back_inserter(options));
  return options;
}

}  // namespace

Keys GoalKeys(std::size_t observation, std::size_t goal) {
  const auto key = [](const char* name, std::size_t size) {
    return Key{name, {static_cast<int>(size)}};
  };
  return {key("achieved_goal", goal), key("desired_goal", goal), key("observation", observation)};
}

RobotEnv::RobotEnv(const Options& options, const std::string& model_name,
                   std::shared_ptr<const mjModel> model, const Keys& keys)
    : SimulatedEnv(options, model_name, std::move(model), mujoco::Style::kGymnasium),
      options_(options),
      observation_(keys, options.Flag("from_pixels") ? 1 : mujoco::FrameStack(options)) {}

void RobotEnv::Reset(Random& random, const Options& options) {
  ResetEpisode(random, options);
  observation_.Fill();
  NotePicture(true);
}

StepResult RobotEnv::Step(const Action& action, Random& random) {
  observation_.Advance();
  const StepResult result = Advance(action, random);
  NotePicture(false);
  return result;
}

void RobotEnv::Observe(const Row& row) const {
  WriteInfo(row);
  if (ObservePictures(row)) return;
  for (std::size_t key = 0; key < observation_.NumKeys(); ++key) {
    observation_.Join({&key, 1}, row.Observation<double>(key));
  }
}

void RobotEnv::Serialize(Archive& archive) {
  archive(World());
  if (observation_.NumSteps() > 1) archive(observation_.Newest());
  archive(observation_);
  SerializePictures(archive);
  SerializeMore(archive);
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
      .render_fps =
          [type](const Options& options) {
            return mujoco::StepsPerSecond(options, *type.model(options));
          },
  };
}

}  // namespace envpool::robotics
