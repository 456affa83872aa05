#include "bindings/config_bridge.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <utility>

namespace envpool {

namespace {

// Beyond a century the clock's arithmetic would overflow.
constexpr double kMostSeconds = 3e9;

// Throws ValueError if the option's value is none of these.
template <class T>
T Choose(const char* name, const py::dict& options,
         std::initializer_list<std::pair<const char*, T>> choices) {
  const auto value = py::cast<std::string>(options[name]);
  for (const auto& [known, choice] : choices) {
    if (value == known) return choice;
  }
  throw pybind11::value_error(std::string(name) + " is '" + value + "'");
}

}  // namespace

PoolConfig ReadPoolConfig(const std::vector<KindTuple>& kinds, const std::vector<int>& kind_of,
                          const std::vector<const TypedOptions*>& environments,
                          const std::vector<std::uint64_t>& seeds, const py::dict& options) {
  PoolConfig config;
  config.num_envs = static_cast<int>(seeds.size());
  config.seeds = seeds;
  for (const auto& [name, first, max_episode_steps] : kinds) {
    config.kinds.push_back({name, &first->Type(), max_episode_steps, first->GetSpec()});
  }
  config.kind_of = kind_of;
  for (const TypedOptions* environment : environments) {
    config.options.push_back(environment->Values());
  }
  ReadRun(options, config);
  config.num_threads = py::cast<int>(options["num_threads"]);
  config.thread_affinity_offset = py::cast<int>(options["thread_affinity_offset"]);
  config.layout.tasks = py::cast<bool>(options["tasks"]);
  return config;
}

void ReadRun(const py::dict& options, PoolConfig& config) {
  config.batch_size = py::cast<int>(options["batch_size"]);
  config.record = py::cast<std::string>(options["record"]);
  config.autoreset_mode = Choose<AutoresetMode>("autoreset_mode", options,
                                                {{"NextStep", AutoresetMode::kNextStep},
                                                 {"SameStep", AutoresetMode::kSameStep},
                                                 {"Disabled", AutoresetMode::kDisabled}});
  config.layout.reward = Choose<DType>(
      "reward_dtype", options, {{"float32", DType::kFloat32}, {"float64", DType::kFloat64}});
  config.layout.time_step = py::cast<bool>(options["time_step"]);
  config.layout.episode_statistics = py::cast<bool>(options["record_episode_statistics"]);
  config.layout.final_rows = config.autoreset_mode == AutoresetMode::kSameStep;
}

std::optional<Duration> ReadTimeout(std::optional<double> seconds) {
  if (!seconds) return std::nullopt;
  const std::chrono::duration<double> clamped(std::clamp(*seconds, 0.0, kMostSeconds));
  return std::chrono::duration_cast<Duration>(clamped);
}

}  // namespace envpool
