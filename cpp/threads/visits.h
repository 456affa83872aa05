// Visits: one call that does something with many environments, or something that may take long. It
// happens on threads of its own, so that the calling thread can notice an interrupt and leave.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "threads/fork_mark.h"
#include "threads/interrupt.h"
#include "threads/machine.h"

namespace envpool {

class Visits {
 public:
  struct Config {
    std::size_t count = 0;  // how many visits there are
    std::size_t most_threads = 1;
    // The calling thread begins alone, for this long: starting a thread takes time, too. It cannot
    // be interrupted in the midst of a visit, so this is for those that are known to be quick.
    Duration alone = Duration::zero();
  };

  // `visit` is called once with each index below the count, in their order as far as there is one.
  // As soon as `closing` is not zero, no further visits begin; it must outlive `visit`, which owns
  // what it touches: a caller that is interrupted soon leaves the visits that were begun to
  // themselves. `visit` is destroyed, with what it owns, as soon as the last of them has ended.
  Visits(const Config& config, std::function<void(std::size_t index)> visit,
         const std::atomic<int>& closing);
  Visits(const Visits&) = delete;
  Visits& operator=(const Visits&) = delete;
  ~Visits();

  // Returns false if some were left out. When a visit throws, no further ones begin; of those that
  // threw, the first one's exception is thrown on. When `interrupt` throws, no further ones begin
  // either. Once.
  bool Run(Interrupt interrupt);

  // How long the longest visit took.
  Duration Longest() const;

 private:
  class Job;

  void StartThreads();

  const Config config_;
  const ForkMark fork_mark_;
  const std::shared_ptr<Job> job_;
  std::vector<std::thread> threads_;
};

// For visits that no pool is asked for.
inline constexpr std::atomic<int> kNeverClosing = 0;

// What `function` returns or throws. It runs on a thread of its own and owns what it touches: if
// `interrupt` throws, it is left to itself.
template <class Result>
Result RunAside(std::function<Result()> function, Interrupt interrupt) {
  const auto result = std::make_shared<std::optional<Result>>();
  const auto run = [result, function = std::move(function)](std::size_t) { *result = function(); };
  Visits({.count = 1}, run, kNeverClosing).Run(interrupt);
  return std::move(**result);
}

// Pace: whether visits of one kind may be done by the calling thread, because they were quick. Any
// thread may ask and tell.
class Pace {
 public:
  // For how long (see Visits::Config::alone). `size` is what the time may depend on, such as the
  // bytes of a state that is to be read: one that is more than twice as large as those that were
  // quick is not known to be.
  Duration Alone(std::size_t size = 0) const {
    const std::size_t known = quick_size_.load();
    return known != kUnknown && size / 2 <= known ? kQuick : Duration::zero();
  }
  void Record(Duration longest, std::size_t size = 0) {
    quick_size_.store(longest <= kQuick ? size : kUnknown);
  }

 private:
  static constexpr Duration kQuick = std::chrono::milliseconds(1);
  static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);

  std::atomic<std::size_t> quick_size_ = kUnknown;
};

}  // namespace envpool
