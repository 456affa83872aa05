// What a step takes on many cores: cores ENVIRONMENT NUM_ENVS BATCH_SIZE NUM_THREADS CALLS.
#include "executor/pool.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/family.h"
#include "machine.h"

namespace envpool {
namespace {

constexpr double kPythonNs = 1500;  // of a call, beside what is native

PoolConfig ConfigOf(const std::string& name, int num_envs, int batch_size, int num_threads) {
  for (const EnvType& type : envpool_family()->types) {
    if (type.name != name) continue;
    PoolConfig config;
    config.num_envs = num_envs;
    config.batch_size = batch_size;
    config.num_threads = num_threads;
    config.seeds.resize(static_cast<std::size_t>(num_envs));
    std::iota(config.seeds.begin(), config.seeds.end(), 0);
    config.options = {Options(type.options)};
    config.kinds = {{type.name, &type, 500}};
    return config;
  }
  throw std::runtime_error("the family has no " + name);
}

class Player {
 public:
  explicit Player(Pool& pool) : pool_(pool), actions_(pool.AllIds().size()) {}

  // Steps as a policy would that has no time to lose.
  void Call() {
    const auto batch = pool_.Receive(std::nullopt, [] {});
    PauseSimulation();
    const auto ids = pool_.GetLayout().env_id.At<std::int32_t>(batch->block.get(), 0, batch->rows);
    ids_.assign(ids.begin(), ids.end());
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      state_ = state_ * 1664525 + 1013904223;
      actions_[i] = state_ >> 31;
    }
    ResumeSimulation();
    SpendSimulatedTime(kPythonNs);
    const ArrayView view{reinterpret_cast<const std::byte*>(actions_.data()), DType::kInt64,
                         ids_.size()};
    pool_.Send({ids_, {&view, 1}});
  }

 private:
  Pool& pool_;
  std::vector<std::int32_t> ids_;
  std::vector<std::int64_t> actions_;
  std::uint32_t state_ = 1;
};

int Run(const std::string& name, int num_envs, int batch_size, int num_threads, int calls) {
  StartSimulation();
  Pool pool(ConfigOf(name, num_envs, batch_size, num_threads));
  pool.SendReset({.env_ids = pool.AllIds()});
  Player player(pool);
  for (int call = 0; call < calls / 3; ++call) player.Call();
  const double begin = SimulatedTime();
  const SimulatedTransfers before = CountTransfers();
  const int measured = calls - calls / 3;
  for (int call = 0; call < measured; ++call) player.Call();
  const double steps = double(measured) * batch_size;
  const SimulatedTransfers after = CountTransfers();
  std::printf(
      "%s %d/%d, %2d threads: %7.1f ns per step; transfers per step: %.2f to read, %.2f to "
      "write, %.2f for atomics\n",
      name.c_str(), num_envs, batch_size, num_threads, (SimulatedTime() - begin) / steps,
      double(after.loads - before.loads) / steps, double(after.stores - before.stores) / steps,
      double(after.atomics - before.atomics) / steps);
  std::fflush(stdout);
  std::_Exit(0);  // the simulated threads sleep, and need no end
}

}  // namespace
}  // namespace envpool

int main(int count, char** arguments) {
  if (count != 6) {
    std::fprintf(stderr, "usage: %s ENVIRONMENT NUM_ENVS BATCH_SIZE NUM_THREADS CALLS\n",
                 arguments[0]);
    return 2;
  }
  const auto number = [&](int i) { return std::atoi(arguments[i]); };
  return envpool::Run(arguments[1], number(2), number(3), number(4), number(5));
}
