// Staffing: how many workers are worth having awake, and which of them may look for work.
//
// Waking a thread takes longer than many a whole batch. So workers come by invitation: a send
// invites as many as there is work for, and a worker that is about to be busy for long invites
// others for what it leaves behind.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "scheduling/request.h"
#include "threads/machine.h"

namespace envpool {

class alignas(kCacheLine) Staffing {
 public:
  using CostCounts = std::array<std::size_t, 4>;  // how many requests there are of each cost

  // `caller_works`: the calling thread runs environments too, while it waits for them. Workers keep
  // off without an invitation then even while they are awake: for little work the caller is quicker
  // alone than with others that take the data to another core.
  Staffing(int num_threads, int cores, bool caller_works)
      : num_threads_(num_threads),
        cores_(cores),
        caller_works_(caller_works),
        enough_(MostLightWorkers()) {}

  bool CallerWorks() const { return caller_works_; }
  // Then it also runs what takes long.
  bool CallerIsAlone() const { return num_threads_ == 0; }
  // True if what costs this much is the caller's, and needs no further workers.
  bool CallerDoes(Cost cost) const { return caller_works_ && IsQuick(cost); }
  // True if the caller runs requests while it waits. A caller that doesn't work runs light ones, if
  // it has the core that one of the workers would need.
  bool CallerHelps() const { return caller_works_ || num_threads_ > MostLightWorkers(); }
  // True if a caller that helps may claim what costs this much.
  bool CallerMayClaim(Cost cost) const {
    return caller_works_ ? IsQuick(cost) || CallerIsAlone() : cost == Cost::kLight;
  }

  // How many workers are worth having awake for requests of these costs. `caller_stays`: the caller
  // will now wait for them.
  int HelpersNeeded(const CostCounts& costs, std::size_t mean_step_ns, bool caller_stays) const;
  // Takes note of a send that needs so many. Where the caller doesn't work, these are enough from
  // then on, until another send needs more or many need fewer.
  void NoteSent(const CostCounts& costs, int helpers);

  // If it is false, HelpersAfterClaim is 0 whatever is left.
  bool MayNeedHelp(Cost cost) const {
    return !CallerDoes(cost) && (cost != Cost::kLight || available_.load() < MostLightWorkers());
  }
  // How many more workers to invite after one of them claimed a request of this cost, and `left`
  // requests still wait: the senders may have counted on it for those. If they are light, fewer
  // than that were not enough.
  int HelpersAfterClaim(Cost cost, std::size_t left, std::size_t mean_step_ns);

  // One more than there are, for requests that have waited too long.
  int OneMore() const { return available_.load() + 1; }

  // Sees to it that `count` workers look for requests, after some were published. Returns how many
  // sleepers must be woken for that.
  int Invite(int count);

  bool IsInvited() const { return invitations_.load() > 0; }
  void TakeInvitation();
  // Only while there are no workers.
  void ForgetInvitations() { invitations_.store(0); }

  // Where the caller doesn't work: true if more workers are available than have enough to do.
  bool IsCrowded() const { return !caller_works_ && available_.load() > enough_.load(); }
  // Makes the calling worker, which is available, unavailable if it is crowded; else returns false.
  bool LeaveIfCrowded();

  // True if there is a core for a caller that waits without sleeping. Where the caller doesn't
  // work, and workers run on all cores what takes long, it would only stand in their way.
  bool HasCoreForCaller() const {
    return caller_works_ || num_threads_ < cores_ || available_.load() > 0;
  }

  // More threads than cores get nothing light done, and the caller needs a core too.
  int MostLightWorkers() const;

  // A worker is available unless it sleeps or runs something that takes long.
  void Arrive() { available_.fetch_add(1); }
  // Returns true to the last one that was available.
  bool Leave() { return available_.fetch_sub(1) == 1; }
  // Awake, but waiting for an invitation.
  void StartSpinning() { spinning_.fetch_add(1); }
  void StopSpinning() { spinning_.fetch_sub(1); }

 private:
  // Waking a sleeping thread costs several microseconds: worth it from about this much work on.
  static constexpr std::size_t kWorthWakingNs = 16000;

  const int num_threads_;
  const int cores_;
  const bool caller_works_;
  int sends_ = 0;                     // of the sender
  std::atomic<int> invitations_ = 0;  // for workers to look for requests
  std::atomic<int> spinning_ = 0;
  std::atomic<int> available_ = 0;
  // How many available workers are enough for what is sent, if the caller doesn't work. More would
  // only take each other's lines of the cache.
  std::atomic<int> enough_;
};
static_assert(sizeof(Staffing) == kCacheLine);

}  // namespace envpool
