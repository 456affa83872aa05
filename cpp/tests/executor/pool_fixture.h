// Shared by the tests of the pool: environments for tests, and short ways to call a pool.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "executor/pool.h"
#include "loading/family_library.h"

namespace envpool {

using Ints = std::vector<std::int32_t>;

inline void NeverInterrupted() {}

struct Interrupted {};
inline void InterruptAtOnce() { throw Interrupted(); }

// What a call threw, empty if nothing.
template <class Call>
std::string Refusal(Call call) {
  try {
    call();
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

inline const EnvType& FindType(const std::string& library, const std::string& name) {
  for (const EnvType& type : LoadFamily(library).types) {
    if (type.name == name) return type;
  }
  throw std::runtime_error("no environment " + name);
}

inline const EnvType& TestType(const std::string& name) { return FindType(TESTING_LIBRARY, name); }

inline PoolConfig MakeConfig(const EnvType& type, int num_envs, int batch_size, int num_threads) {
  PoolConfig config;
  config.num_envs = num_envs;
  config.batch_size = batch_size;
  config.num_threads = num_threads;
  config.seeds.resize(static_cast<std::size_t>(num_envs));
  std::iota(config.seeds.begin(), config.seeds.end(), 0);
  config.options = {Options(type.options)};
  return config;
}

// All environments are of this type.
inline PoolConfig OfType(const EnvType& type, PoolConfig config) {
  config.kinds = {{type.name, &type, config.max_episode_steps}};
  return config;
}

inline std::unique_ptr<Pool> MakePool(const std::string& name, int num_envs, int batch_size,
                                      int num_threads) {
  const EnvType& type = TestType(name);
  return std::make_unique<Pool>(OfType(type, MakeConfig(type, num_envs, batch_size, num_threads)));
}

// The Counting environment with episodes of these lengths, one environment each.
inline PoolConfig CountingConfig(AutoresetMode mode, const Ints& lengths, int batch_size,
                                 int num_threads) {
  const EnvType& type = TestType("Counting");
  PoolConfig config = MakeConfig(type, static_cast<int>(lengths.size()), batch_size, num_threads);
  config.options.assign(lengths.size(), Options(type.options));
  for (std::size_t env = 0; env < lengths.size(); ++env) {
    config.options[env].Set("episode_length", std::int64_t{lengths[env]});
  }
  config.autoreset_mode = mode;
  config.layout.final_rows = mode == AutoresetMode::kSameStep;
  return config;
}

// Counts its steps. A step with action 1, a picture by camera 1, and while a test holds states, any
// picture and the reading and writing of a state, end once the test lets them, so that no test
// needs to guess how long they take.
class HeldEnv final : public Env {
 public:
  // Holds steps and pictures for as long as it lives, and waits for those that it holds to begin.
  class Hold {
   public:
    Hold() {
      is_held = true;
      held = 0;
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { Release(); }
    void HoldStates() { holds_states = true; }
    void Release() { is_held = holds_states = false; }
    void Await(int count) const {
      while (held.load() < count) Nap();
    }
    int Count() const { return held.load(); }
  };

  explicit HeldEnv(const Options&) { ++alive; }
  ~HeldEnv() override { --alive; }

  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kInt32, {})},
            .action = {Discrete("action", 2)},
            .info = {}};
  }
  static const EnvType& Type() {
    static const EnvType type{.name = "Held",
                              .options = {},
                              .reset_options = {},
                              .spec = MakeSpec,
                              .create = Create<HeldEnv>};
    return type;
  }

  void Reset(Random&, const Options&) override { step_ = 0; }
  StepResult Step(const Action& action, Random&) override {
    if (action.Value<std::int32_t>() == 1) Wait();
    ++step_;
    return {};
  }
  void Observe(const Row& row) const override { row.Observation<std::int32_t>()[0] = step_; }
  void Serialize(Archive& archive) override {
    if (holds_states) Wait();
    archive.Any(step_);
  }
  void Render(const Frame& frame) override {
    if (frame.camera == 1 || holds_states) Wait();
  }
  void Release() override { ++releases; }

  static inline std::atomic<int> alive = 0;
  static inline std::atomic<int> releases = 0;

 private:
  static void Wait() {
    ++held;
    while (is_held) Nap();
  }
  static void Nap() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

  static inline std::atomic<bool> is_held = false;
  static inline std::atomic<bool> holds_states = false;
  static inline std::atomic<int> held = 0;
  std::int32_t step_ = 0;
};

// The same action for each of some environments.
class Actions {
 public:
  Actions(std::size_t count, std::int32_t action) : values_(count, action) {
    view_ = {reinterpret_cast<const std::byte*>(values_.data()), DType::kInt32, count};
  }
  std::span<const ArrayView> View() const { return {&view_, 1}; }

 private:
  std::vector<std::int32_t> values_;
  ArrayView view_;
};

template <class T>
std::vector<T> ColumnOf(const Delivery& delivery, const Column& column) {
  const std::size_t rows = column.per_player ? delivery.player_rows : delivery.rows;
  const auto values = column.At<T>(delivery.block.get(), 0, rows);
  return {values.begin(), values.end()};
}

inline std::vector<std::int32_t> EnvIds(const Pool& pool, const Delivery& delivery) {
  return ColumnOf<std::int32_t>(delivery, pool.GetLayout().env_id);
}

// The first observation field of each row.
inline Ints Observations(const Pool& pool, const Delivery& delivery) {
  return ColumnOf<std::int32_t>(delivery, pool.GetLayout().observation[0]);
}

inline void Send(Pool& pool, const Ints& ids, std::int32_t action) {
  pool.Send({ids, Actions(ids.size(), action).View()});
}

inline Delivery Receive(Pool& pool) {
  auto delivery = pool.Receive(std::nullopt, NeverInterrupted);
  if (!delivery) throw std::runtime_error("Receive without a timeout returned nothing");
  return std::move(*delivery);
}

inline Delivery Step(Pool& pool, std::int32_t action) {
  const Actions actions(pool.AllIds().size(), action);
  return pool.Step({pool.AllIds(), actions.View()}, NeverInterrupted);
}

inline Delivery Reset(Pool& pool) {
  return pool.Reset({.env_ids = pool.AllIds()}, NeverInterrupted);
}

}  // namespace envpool
