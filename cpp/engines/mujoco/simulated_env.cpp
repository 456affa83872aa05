#include "mujoco/simulated_env.h"

#include <utility>

namespace envpool::mujoco {

std::vector<OptionSpec> StepOptions(std::int64_t frame_skip) {
  constexpr Limits kSteps = {.least = 1.0, .most = 1e6};
  return {
      {"frame_skip", frame_skip, "simulation steps per step", kSteps},
      {"frame_stack", std::int64_t{1}, "how many observations to return, oldest first", kSteps}};
}

Field ControlsOf(const mjModel& model) {
  Bounds low;
  Bounds high;
  for (int i = 0; i < static_cast<int>(model.nu); ++i) {
    const bool is_limited = model.actuator_ctrllimited[i];
    low.push_back(is_limited ? model.actuator_ctrlrange[2 * i] : -kInfinity);
    high.push_back(is_limited ? model.actuator_ctrlrange[2 * i + 1] : kInfinity);
  }
  if (low.empty()) low = high = {0.0};
  return Box("action", DType::kFloat64, {static_cast<int>(model.nu)}, std::move(low),
             std::move(high));
}

double StepsPerSecond(const Options& options, const mjModel& model) {
  return 1.0 / (model.opt.timestep * static_cast<double>(options.Integer("frame_skip")));
}

std::size_t MemoryOf(const Options& options, std::size_t numbers) {
  const std::size_t frames = FrameStack(options);
  const std::size_t pictures = PictureStackBytes(options, frames);
  return sizeof(mjData) + CameraBytes(options) +
         (pictures > 0 ? pictures : frames * numbers * sizeof(double));
}

}  // namespace envpool::mujoco
