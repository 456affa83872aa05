// Office: what all calls of a pool share, whatever its workers are.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "environments/calls.h"
#include "executor/crew.h"
#include "executor/ledger.h"
#include "recording/journal.h"
#include "results/batches.h"
#include "results/delivery.h"
#include "results/layout.h"
#include "scheduling/statistics.h"
#include "threads/attendance.h"
#include "threads/fork_mark.h"
#include "threads/guarded.h"
#include "threads/interruptible_mutex.h"

namespace envpool {

// The books of a pool. The call that holds the desk is the one caller that the parts of a pool have
// at a time.
struct Desk {
  Ledger ledger;
  Statistics statistics;
  Journal* journal = nullptr;  // null if nothing is recorded
  bool is_stopping = false;    // the workers were told to stop, and may not have ended
  bool is_closed = false;      // the pool takes no more requests

  // Before they are queued: environments that were checked are in flight from now on. `players` are
  // how many actions each is given, if that is not one.
  void Begin(const StepRequest& request, std::span<const std::int32_t> players);
  void Begin(const ResetRequest& request, std::span<const std::int32_t> others);

  // Takes the front of the batches, which is ready. Its environments belong to the callers again.
  Delivery Take(Batches& batches, const Layout& layout);
  // After that, and whatever else follows from a delivery: those that have failed are refused until
  // they are reset, and the delivery is as the caller gets it.
  void Finish(Delivery& delivery, const Layout& layout);
};

using DeskAccess = Guarded<Desk>::Access;

struct Office {
  // The crew outlives it, and is asked nothing yet.
  Office(int num_envs, int num_workers, Crew& workers);
  Office(const Office&) = delete;
  Office& operator=(const Office&) = delete;

  // True in a process forked after the pool's creation, where its workers are not its own.
  bool IsForked() const { return fork_mark.IsForked(); }
  // Throws std::runtime_error in such a process, where the desk may be held for ever.
  void CheckUsable() const;
  // Returns the desk. Throws if the pool takes no requests.
  DeskAccess OpenDesk();
  // If the pool is to be recorded, has the desk note all that happens from now on; see Journal.
  void Record(const PoolConfig& config, std::span<const Field> actions, const Layout& layout,
              Journal::Source& source);

  Crew& crew;
  const std::vector<std::int32_t> all_ids;
  const ForkMark fork_mark;
  std::atomic<int> closing = 0;      // calls of Close
  Attendance attendance;             // threads and borrowers, for which they wait
  std::unique_ptr<Journal> journal;  // null if nothing is recorded; the desk refers to it
  // Locks are taken in this order: receive_mutex, desk. Gates have locks of their own, which come
  // last and are held for no time.
  InterruptibleMutex receive_mutex;
  Guarded<Desk> desk;
};

// Returns the ids of a delivery's environments, a row each.
inline std::span<const std::int32_t> IdsOf(const Delivery& delivery, const Layout& layout) {
  return layout.env_id.At<std::int32_t>(delivery.block.get(), 0, delivery.rows);
}

}  // namespace envpool
