// Visits: one call that does something with many environments, on threads of its own, and can be
// interrupted between them.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "executor/clock.h"
#include "executor/gate.h"
#include "executor/interrupt.h"

namespace envpool {

class Visits {
 public:
  struct Config {
    std::size_t count = 0;  // how many visits there are
    std::size_t most_threads = 1;
    // The calling thread begins alone, for this long: starting a thread takes time, too.
    Duration alone = Duration::zero();
  };

  // `visit` is called once with each index below the count, in their order as far as there is one.
  // As soon as `closing` is not zero, no further visits begin.
  Visits(const Config& config, std::function<void(std::size_t index)> visit,
         const std::atomic<int>& closing);
  Visits(const Visits&) = delete;
  Visits& operator=(const Visits&) = delete;
  ~Visits();  // waits for the visits that were begun

  // Returns false if some were left out. When a visit throws, no further ones begin; of those that
  // threw, the first one's exception is thrown on. When `interrupt` throws, those that were begun
  // are ended by the destructor.
  bool Run(Interrupt interrupt);

 private:
  void VisitHere(Clock::time_point end, Interrupt interrupt);
  void StartThreads();
  bool VisitNext() noexcept;
  void Fail(std::size_t index, std::exception_ptr error) noexcept;

  const Config config_;
  const std::function<void(std::size_t)> visit_;
  const std::atomic<int>& closing_;
  std::atomic<std::size_t> next_ = 0;    // the visit that begins next
  std::atomic<bool> cancelled_ = false;  // no further visits
  std::vector<std::thread> threads_;
  std::atomic<std::size_t> ended_ = 0;  // of the threads
  Gate ended_gate_;
  std::mutex failure_mutex_;
  // The first visit that failed: those before it were all begun, and so are all known.
  std::size_t failed_ = 0;
  std::exception_ptr failure_;
};

}  // namespace envpool
