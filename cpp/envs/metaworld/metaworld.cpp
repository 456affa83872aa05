// Registers Meta-World's tasks as one kind of environment, and what its library has to be told.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envpool/family.h"
#include "metaworld/catalogue.h"
#include "metaworld/random_vectors.h"
#include "metaworld/sawyer_task.h"
#include "mujoco/model.h"
#include "mujoco/pictures/picture_stack.h"
#include "mujoco/simulated_env.h"
#include "numerics/settings.h"

namespace envpool::metaworld {

namespace {

const SawyerTask& TaskOf(const Options& options) { return TaskNamed(options.Text("task_name")); }

Bounds Repeated(const Bounds& bounds, std::size_t times) {
  Bounds all;
  for (std::size_t i = 0; i < times; ++i) all.insert(all.end(), bounds.begin(), bounds.end());
  return all;
}

Field ObservationOf(const Options& options, std::size_t frames) {
  if (options.Flag("from_pixels")) return mujoco::PixelsField(options, frames);
  ObservationBounds bounds(TaskOf(options), options.Flag("partially_observable"));
  // Pools of several tasks need equal bounds, and a list of vectors is for these.
  if (!options.Flag("partially_observable") && !options.Get<Numbers>("task_vectors").empty()) {
    std::fill_n(bounds.low.end() - 3, 3, -kInfinity);
    std::fill_n(bounds.high.end() - 3, 3, kInfinity);
  }
  const auto one_hot = static_cast<std::size_t>(options.Integer("one_hot_size"));
  bounds.low.insert(bounds.low.end(), one_hot, 0.0);
  bounds.high.insert(bounds.high.end(), one_hot, 1.0);
  std::vector<int> shape = {static_cast<int>(bounds.low.size())};
  if (frames > 1) shape.insert(shape.begin(), static_cast<int>(frames));
  return Box("obs", DType::kFloat64, std::move(shape), Repeated(bounds.low, frames),
             Repeated(bounds.high, frames));
}

Spec SpecOf(const Options& options) {
  Spec spec = {.observation = {ObservationOf(options, mujoco::FrameStack(options))},
               .action = {Box("action", DType::kFloat32, {4}, {-1.0}, {1.0})}};
  for (const char* name : {"success", "near_object", "grasp_success", "grasp_reward",
                           "in_place_reward", "obj_to_target", "unscaled_reward"}) {
    spec.info.push_back(Box(name, DType::kFloat64, {}));
  }
  spec.info.push_back(Discrete("task_id", static_cast<int>(AllTasks().size())));
  return spec;
}

std::vector<OptionSpec> OptionsOf() {
  std::vector<std::string> names;
  std::ranges::transform(AllTasks(), std::back_inserter(names), &SawyerTask::name);
  std::vector<OptionSpec> options = mujoco::StepOptions(5);
  options.push_back({"task_name", "reach-v3", "what there is to do", {}, std::move(names)});
  options.push_back({"partially_observable", true, "hide the goal: it is observed as zeros"});
  options.push_back({"terminate_on_success", false, "end episodes where success is 1"});
  options.push_back({"one_hot_size",
                     std::int64_t{0},
                     "how many numbers follow the observation, to tell several tasks apart",
                     {.least = 0.0, .most = 1e6}});
  options.push_back({"one_hot_index",
                     std::int64_t{0},
                     "which of these is 1; the others are 0",
                     {.least = 0.0, .most = 1e6}});
  std::ranges::move(VectorOptions(), std::back_inserter(options));
  std::ranges::move(mujoco::PictureOptions("480", {}), std::back_inserter(options));
  return options;
}

[[maybe_unused]] const bool registered = Register([] {
  return EnvType{
      .name = "MetaWorld",
      .options = OptionsOf(),
      .reset_options = SelectOptions(),
      .spec = SpecOf,
      .create =
          [](const Options& options) {
            const SawyerTask& task = TaskOf(options);
            return task.create(options, task);
          },
      .memory = [](const Options& options) { return mujoco::MemoryOf(options, 39); },
      .state_version = 2,
      .frame_size = [](const Options&) { return FrameSize{480, 480}; },
      .render_fps =
          [](const Options& options) {
            return mujoco::StepsPerSecond(options, *mujoco::LoadModel(TaskOf(options).model));
          },
  };
});

// What this library cannot find out by itself.
[[maybe_unused]] const bool configured = numerics::Register(
    {{"asset_folder", "", "where the models are: a folder of the installed metaworld"}},
    [](const Options& settings) { mujoco::SetAssetFolder(settings.Text("asset_folder")); });

}  // namespace
}  // namespace envpool::metaworld
