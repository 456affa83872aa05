// A pool of environments that count, and its workers.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "workers/process_pool.h"
#include "workers/station.h"

namespace envpool {

// Observes how often it was stepped since its reset. Episodes end after `length` steps.
class Counting final : public ServedEnv {
 public:
  explicit Counting(int length) : length_(length) {}

  void Reset(Random&, const Options&) override { steps_ = 0; }
  StepResult Step(const Action&, Random&) override {
    ++steps_;
    return {.reward = 1.0, .terminated = steps_ == length_};
  }
  void Observe(const Row& row) const override { row.Observation<std::int32_t>()[0] = steps_; }

 private:
  const int length_;
  std::int32_t steps_ = 0;
};

inline SharedConfig MakeConfig(int num_envs, int batch_size, int num_workers) {
  SharedConfig config;
  config.spec.observation = {Box("obs", DType::kInt32, {})};
  config.spec.action = {Discrete("action", 1)};
  config.pool.num_envs = num_envs;
  config.pool.batch_size = batch_size;
  config.pool.num_threads = num_workers;
  for (int env = 0; env < num_envs; ++env) config.workers.push_back(env * num_workers / num_envs);
  return config;
}

// A worker that serves a pool.
class Server {
 public:
  using Make = std::function<std::unique_ptr<ServedEnv>(std::int32_t env, const Station& station)>;

  // With `mapped` it uses the pool's own mapping, where a sanitizer sees what both sides do.
  Server(const SharedConfig& config, int worker, const std::vector<int>& files, const Make& make,
         const Exchange* mapped = nullptr)
      : station_(config, worker, {files[0], files[1], files[2 + static_cast<std::size_t>(worker)]},
                 mapped) {
    for (std::size_t env = 0; env < config.workers.size(); ++env) {
      if (config.workers[env] != worker) continue;
      const auto id = static_cast<std::int32_t>(env);
      station_.Put(id, make(id, station_));
    }
  }

  void Serve() {
    while (!station_.IsClosed()) {
      if (!station_.RunNext()) station_.Await(std::chrono::milliseconds(100), false);
    }
  }
  bool RunNext() { return station_.RunNext(); }

 private:
  Station station_;
};

inline Server::Make MakesCounting(int length = 5) {
  return [length](std::int32_t, const Station&) { return std::make_unique<Counting>(length); };
}

// A pool whose workers are threads: so the sanitizers see all of it.
class Served {
 public:
  explicit Served(const SharedConfig& config, const Server::Make& make = MakesCounting())
      : pool_(config, [](int) { return std::string("ended"); }) {
    for (int worker = 0; worker < config.pool.num_threads; ++worker) {
      pool_.SetWorker(worker, -1, -1);
      threads_.emplace_back([this, config, worker, make] {
        Server(config, worker, pool_.Files(), make, &pool_.Shared()).Serve();
      });
    }
  }
  ~Served() {
    pool_.Close();
    for (std::thread& thread : threads_) thread.join();
  }

  ProcessPool* operator->() { return &pool_; }
  ProcessPool& operator*() { return pool_; }

 private:
  ProcessPool pool_;
  std::vector<std::thread> threads_;
};

// One array of the same action for `count` environments.
class Actions {
 public:
  explicit Actions(std::size_t count, int action = 0)
      : actions_(count, action),
        view_{reinterpret_cast<const std::byte*>(actions_.data()), DType::kInt32, count} {}
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  std::span<const ArrayView> Get() const { return {&view_, 1}; }

 private:
  std::vector<int> actions_;
  const ArrayView view_;
};

// A column of a delivery, by rows.
inline std::vector<std::int32_t> Int32s(const ProcessPool& pool, const Delivery& delivery,
                                        const std::string& name) {
  const Layout& layout = pool.GetLayout();
  const Column& column = layout.all[layout.IndexOf(name)];
  const auto values = column.At<std::int32_t>(delivery.block.get(), 0, delivery.rows);
  return {values.begin(), values.end()};
}

}  // namespace envpool
