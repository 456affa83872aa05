// Front: what callers see of a pool, whatever its workers are.
//
// It checks every call, says what is wrong with it, and hands out one batch after the other. What
// calls share is the Office's; the Crew works, and is told what to do once per call.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "environments/calls.h"
#include "executor/office.h"
#include "results/batches.h"
#include "results/layout.h"
#include "scheduling/statistics.h"
#include "threads/interrupt.h"
#include "threads/machine.h"

namespace envpool {

class Front {
 public:
  // The crew outlives it, and is asked nothing yet.
  Front(Layout layout, int num_envs, int num_workers, Crew& crew)
      : layout_(std::move(layout)), office_(num_envs, num_workers, crew) {}
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;

  // Queues one step for each of these environments. Throws, and queues nothing, if an id is out of
  // range, repeated, running, borrowed or broken, or an action is refused.
  void Send(const StepRequest& request);
  void SendReset(const ResetRequest& request);

  // Throws as Send would, and std::invalid_argument unless `owners` has each of `env_ids` once for
  // each player whose action it takes now, in order. For callers who say whose their actions are.
  void CheckPlayers(std::span<const std::int32_t> env_ids, std::span<const std::int32_t> owners);

  // Says what the next episodes of these environments begin with. Throws, and changes nothing, if
  // an environment runs or is borrowed, or a state is refused.
  void SetNext(std::span<const std::int32_t> env_ids, std::vector<Choice> next);
  // Returns which of these environments have no chosen next episode, and how many episodes of each
  // have begun. Throws if one of them runs or is borrowed.
  std::vector<std::pair<std::int32_t, std::int64_t>> WithoutNext(
      std::span<const std::int32_t> env_ids);
  // Returns how many episodes of each of these environments have begun, and with what the last one
  // of them did, if that was chosen. Throws if one of them runs or is borrowed.
  std::vector<std::pair<std::int64_t, std::optional<Choice>>> Episodes(
      std::span<const std::int32_t> env_ids);
  // What is chosen of an environment, which nobody else touches meanwhile.
  Choices& GetChoices(std::int32_t env) { return office_.crew.ChoicesOf(env); }

  // Throws if one of them runs, is borrowed or, unless it is `mended`, has failed.
  void CheckIdle(std::span<const std::int32_t> env_ids, bool mended);

  // Waits for the next batch. Without a timeout, throws at once if there are too few requests in
  // flight to fill one; with it, returns nothing when the time is over.
  std::optional<Delivery> Receive(std::optional<Duration> timeout, Interrupt interrupt);

  // Send and Receive, or SendReset and Receive, as one call that no other thread comes between.
  Delivery Step(const StepRequest& request, Interrupt interrupt);
  Delivery Reset(const ResetRequest& request, Interrupt interrupt);

  // Waits for all results that are in flight, and throws them away. Only for synchronous pools.
  void Discard(Interrupt interrupt);

  // True if there are batches of earlier sends that Receive has not given: in synchronous pools all
  // of them, in others none.
  bool HasOpen();

  FailureBudget& GetFailures() { return office_.crew.Failures(); }

  // Since the pool's creation, or the last call that asked for a new start.
  PoolStats Stats(bool restart);

  // Ends all calls that wait, then has the workers stop. Waits for environments that run or are
  // borrowed at the moment, and then until what is recorded is written; if `interrupt` throws
  // meanwhile or the time is over, which returns false, the pool refuses everything until these
  // environments are done, and writes on.
  bool Close(Interrupt interrupt = DontInterrupt,
             Clock::time_point deadline = Clock::time_point::max());

  // Why a recording has ended early, once; empty if it has not.
  std::string TakeRecordingProblem();
  // After Close has returned false: true if the recording was a reason.
  bool IsWritingRecording() const { return office_.journal && office_.journal->IsWriting(); }

  bool IsForked() const { return office_.IsForked(); }
  void CheckUsable() const { office_.CheckUsable(); }

  const Layout& GetLayout() const { return layout_; }
  const std::vector<std::int32_t>& AllIds() const { return office_.all_ids; }

 protected:
  ~Front() = default;

  Office& GetOffice() { return office_; }

 private:
  void Enqueue(Desk& desk, const StepRequest& request, bool caller_stays);
  void Enqueue(Desk& desk, const ResetRequest& request, bool caller_stays);
  template <class Request>
  Delivery Call(const Request& request, std::size_t rows, Interrupt interrupt);
  void CheckCanReceive(Desk& desk, std::size_t rows);
  std::optional<Delivery> Await(Clock::time_point deadline, Interrupt interrupt);
  Delivery AwaitDelivery(std::size_t rows, Interrupt interrupt);
  Batches& GetBatches() { return office_.crew.GetBatches(); }

  const Layout layout_;
  Office office_;
};

}  // namespace envpool
