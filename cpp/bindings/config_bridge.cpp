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

template <class T>
T Choose(const char* name, const std::string& value,
         std::initializer_list<std::pair<const char*, T>> choices) {
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
    config.kinds.push_back({name, &first->Type(), max_episode_steps});
    config.specs.push_back(first->GetSpec());
  }
  config.kind_of = kind_of;
  for (const TypedOptions* environment : environments) {
    config.options.push_back(environment->Values());
  }
  const auto read = [&options]<class T>(const char* name, T& value) {
    value = py::cast<T>(options[name]);
  };
  read("batch_size", config.batch_size);
  read("num_threads", config.num_threads);
  read("thread_affinity_offset", config.thread_affinity_offset);
  read("thread_pool", config.thread_pool);
  if (config.thread_pool != nullptr) config.num_threads = config.thread_pool->NumThreads();
  read("record", config.record);
  config.autoreset_mode = ReadAutoresetMode(py::cast<std::string>(options["autoreset_mode"]));
  read("tasks", config.layout.tasks);
  read("record_episode_statistics", config.layout.episode_statistics);
  read("time_step", config.layout.time_step);
  config.layout.reward = ReadRewardType(py::cast<std::string>(options["reward_dtype"]));
  config.layout.final_rows = config.autoreset_mode == AutoresetMode::kSameStep;
  return config;
}

AutoresetMode ReadAutoresetMode(const std::string& value) {
  return Choose<AutoresetMode>("autoreset_mode", value,
                               {{"NextStep", AutoresetMode::kNextStep},
                                {"SameStep", AutoresetMode::kSameStep},
                                {"Disabled", AutoresetMode::kDisabled}});
}

DType ReadRewardType(const std::string& value) {
  return Choose<DType>("reward_dtype", value,
                       {{"float32", DType::kFloat32}, {"float64", DType::kFloat64}});
}

std::optional<Duration> ReadTimeout(std::optional<double> seconds) {
  if (!seconds) return std::nullopt;
  const std::chrono::duration<double> clamped(std::clamp(*seconds, 0.0, kMostSeconds));
  return std::chrono::duration_cast<Duration>(clamped);
}

}  // namespace envpool
