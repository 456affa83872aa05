// StartingEngine: the time in which an engine starts, of which there may be many at the same time.
#pragma once

#include <atomic>
#include <cstddef>
#include <stop_token>
#include <thread>

namespace envpool::vizdoom {

inline constexpr char kNoMore[] =
    "there may be no more threads or processes: ulimit -u, or a container's pids.max";

class StartingEngine {
 public:
  // An engine is about to start, which needs so many bytes of shared memory. Throws
  // std::runtime_error if there are not as many left: the first use of memory that is not there
  // would end the process. The same if there can be no more threads.
  explicit StartingEngine(std::size_t shared_bytes);
  ~StartingEngine();
  StartingEngine(const StartingEngine&) = delete;
  StartingEngine& operator=(const StartingEngine&) = delete;

  // Returns true if it took so long that there may be no process at all.
  bool IsSlow() const { return is_slow_; }

 private:
  void WakeLibrary(const std::stop_token& has_started);

  const std::size_t shared_bytes_;
  std::atomic<bool> is_slow_ = false;
  std::jthread waker_;
};

// Another engine has started. Tells on a terminal how many have, if that goes on for some seconds.
void TellOfStarts();

}  // namespace envpool::vizdoom
