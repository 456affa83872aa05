// WorkerWatch: which processes a pool has, and what became of them.
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "threads/machine.h"
#include "workers/exchange.h"
#include "workers/file.h"
#include "workers/shared_config.h"

namespace envpool {

class WorkerWatch {
 public:
  // A process that has ended: of this worker the one with this number.
  struct Ended {
    std::size_t worker;
    int process;
  };

  // Both outlive it. There is no process yet.
  WorkerWatch(const SharedConfig& config, Exchange& exchange);

  // A process of this worker begins; `sentinel` is readable when it has ended, and stays its
  // owner's.
  void Begin(int worker, int pid, int sentinel);

  // True if the worker of this environment has no process.
  bool IsLost(std::int32_t env) const { return Of(env).is_lost; }
  // The workers of these environments that have none. Unknown ids are left out.
  std::vector<int> LostOf(std::span<const std::int32_t> env_ids) const;

  // The processes that have ended since the last call of Lose for each.
  std::vector<Ended> FindEnded();
  // Notes that a worker has ended, and if it is to be started again. Returns false if it was known.
  bool Lose(Ended ended, bool awaits_restart);
  // The workers that are to be started again, and those that will not be after all.
  std::vector<int> AwaitingRestart() const;
  bool AwaitsRestart(std::int32_t env) const { return Of(env).awaits_restart; }
  void GiveUp(int worker) { workers_.at(static_cast<std::size_t>(worker)).awaits_restart = false; }
  // Why an environment in flight has no result, if its worker ended like this.
  std::string Reason(std::int32_t env, const std::string& end, bool was_running) const;

  // After this no process is watched any more.
  void CloseSentinels() {
    for (Worker& worker : workers_) worker.sentinel = File();
  }

  // Returns the workers with an environment that has run since before `latest`, and those that have
  // begun with nothing since then although they were asked to; remembers which.
  std::vector<int> FindLate(Clock::time_point latest);
  // Kills the workers that FindLate returns.
  void KillLate(Clock::time_point latest);

 private:
  static constexpr std::int32_t kNone = -1;
  static constexpr std::int32_t kNoEnv = -2;  // a worker is late, but runs none

  struct Worker {
    int pid = -1;
    File sentinel;    // our own, because a number that was closed may come to mean another file
    int process = 0;  // the number of the worker's present process, the first of which is 1
    bool is_lost = true;
    bool awaits_restart = false;
    std::int32_t late = kNone;  // the environment for which it was killed, or kNoEnv
    // When it was first seen to do nothing although it was asked, and how many requests it had
    // claimed by then.
    std::optional<Clock::time_point> stalled_since;
    std::uint32_t stalled_at = 0;
  };

  // The environment of a worker that has run for the longest time.
  struct Running {
    std::int32_t env = kNone;
    std::int64_t since = 0;  // of Clock; 0: none runs
  };

  const Worker& Of(std::int32_t env) const;
  std::vector<Running> FindRunning() const;
  bool IsStalled(std::size_t number, Clock::time_point latest);

  const SharedConfig& config_;
  Exchange& exchange_;
  std::vector<Worker> workers_;
  std::vector<pollfd> sentinels_;  // of workers; negative if there is nothing to watch
};

}  // namespace envpool
