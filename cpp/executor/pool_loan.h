// Pool::Loan and Pool::Visitor: environments that a call has borrowed, and the thread that does it.
//
// Only for the pool itself.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "executor/environments/status.h"
#include "executor/ledger.h"
#include "executor/pool.h"
#include "executor/threads/fork_mark.h"
#include "executor/threads/guarded.h"

namespace envpool {

// Environments that belong to a call until all that it does with them has ended. Without any, it
// only has those wait for that who close the pool.
class Pool::Loan {
 public:
  Loan(Pool& pool, std::span<const std::int32_t> env_ids, Purpose purpose, Status status)
      : pool_(pool), env_ids_(env_ids.begin(), env_ids.end()) {
    const auto desk = pool_.desk_.Lock();
    pool_.CheckNotStopping(*desk);
    desk->ledger.Check(env_ids, purpose);
    if (status == Status::kRendering) CheckHaveEpisodes();
    desk->ledger.Borrow(env_ids_, status);
    pool_.attendance_.Enter();
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan() {
    if (pool_.IsForked()) return;  // another thread of the parent may have held the desk
    const auto desk = pool_.desk_.Lock();
    for (const std::int32_t id : env_ids_) {
      desk->ledger.Set(id, pool_.environments_.RestStatus(id));
    }
    // With the desk held, because a closer that needs it next may be about to destroy the pool.
    pool_.attendance_.Leave();
  }

  std::int32_t Id(std::size_t index) const { return env_ids_[index]; }

 private:
  void CheckHaveEpisodes() const {
    for (const std::int32_t id : env_ids_) {
      if (!pool_.environments_.AwaitsReset(id)) continue;
      throw std::runtime_error("environment " + std::to_string(id) +
                               " has no episode to render: reset it first");
    }
  }

  Pool& pool_;
  const std::vector<std::int32_t> env_ids_;
};

// This thread, in a call that has borrowed some.
class Pool::Visitor {
 public:
  explicit Visitor(Guarded<Desk>& desk) : desk_(desk) { desk_.Lock()->ledger.BeginVisits(); }
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;
  ~Visitor() {
    if (!fork_mark_.IsForked()) desk_.Lock()->ledger.EndVisits();
  }

 private:
  const ForkMark fork_mark_;
  Guarded<Desk>& desk_;
};

}  // namespace envpool
