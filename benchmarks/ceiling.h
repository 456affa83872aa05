// The least that environments can cost: bare threads that step simulators and do nothing else. No
// observations, rewards or batches, no barrier between the threads.
//
// This part is the same for all simulators. Each has a shared library, so that the worker of the
// other contenders can time this one too; ceiling.py is the other side.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace ceiling {

using Clock = std::chrono::steady_clock;

class Env {
 public:
  virtual ~Env() = default;

  // One call of `step`; as in all contenders, the one after the end of an episode resets.
  virtual void step(const std::byte* action) = 0;
};

// Random actions of every environment, batch after batch.
struct Actions {
  const std::byte* values;  // not copied
  int num_batches;
  int num_envs;
  int action_bytes;
};

// One thread's share of the environments; aligned, so that no thread writes beside another's.
class alignas(64) Share {
 public:
  Share(Actions actions, int begin) : actions_(actions), begin_(begin) {}

  void add(std::unique_ptr<Env> env) { envs_.push_back(std::move(env)); }
  std::int64_t run_until(Clock::time_point deadline);
  void step_each(int steps);

 private:
  void step_next();

  Actions actions_;
  int begin_;
  std::vector<std::unique_ptr<Env>> envs_;
  std::size_t next_ = 0;
  int batch_ = 0;
};

class Pool {
 public:
  // `make` is called with the number of each environment.
  Pool(const std::function<std::unique_ptr<Env>(int)>& make, Actions actions, int num_threads);

  // Calls `act` with each share and its number, in a thread of its own.
  template <typename Act>
  void in_parallel(Act act) {
    std::vector<std::jthread> threads;
    for (std::size_t number = 0; number < shares_.size(); ++number) {
      threads.emplace_back(act, std::ref(shares_[number]), number);
    }
  }

  std::size_t num_shares() const { return shares_.size(); }

 private:
  std::vector<Share> shares_;
};

}  // namespace ceiling
