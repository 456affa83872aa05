#include "executor/front.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace envpool {

namespace {

std::vector<std::int32_t> IdsBelow(int count) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

// Throws unless there are as many as environments, or none.
void CheckCount(const char* name, std::size_t count, const char* things, std::size_t num_ids) {
  if (count == 0 || count == num_ids) return;
  throw std::invalid_argument(std::string(name) + ": expected " + std::to_string(num_ids) + " " +
                              things + ", got " + std::to_string(count));
}

// For as long as it lives, the pool is being closed.
class Closing {
 public:
  explicit Closing(std::atomic<int>& count) : count_(count) { count_.fetch_add(1); }
  Closing(const Closing&) = delete;
  Closing& operator=(const Closing&) = delete;
  ~Closing() { count_.fetch_sub(1); }

 private:
  std::atomic<int>& count_;
};

}  // namespace

Front::Front(Layout layout, int num_envs, int num_workers)
    : layout_(std::move(layout)),
      all_ids_(IdsBelow(num_envs)),
      desk_(Ledger(all_ids_), Statistics(num_workers)) {}

void Front::CheckUsable() const {
  if (IsForked()) {
    throw std::runtime_error(
        "this pool was created before the process forked, and its workers are the parent's: create "
        "a pool in the child instead");
  }
}

Front::DeskAccess Front::OpenDesk() {
  CheckUsable();  // in a forked child the desk may be held for ever
  DeskAccess desk = desk_.Lock();
  CheckOpen(*desk);
  return desk;
}

void Front::EnqueueSteps(Desk& desk, const StepRequest& request, bool caller_stays) {
  const std::span<const std::int32_t> ids = request.env_ids;
  desk.ledger.Check(ids, Purpose::kStep);
  CheckCount("action", request.letters.size(), "letters", ids.size());
  StoreActions(request);
  if (ids.empty()) return;
  OpenBatch(ids.size());
  if (journal_) {
    const std::size_t rows = request.actions.empty() ? 0 : request.actions[0].rows;
    journal_->NoteSteps(request, PlayersOf(ids, rows));
  }
  desk.ledger.Begin(ids);
  QueueSteps(request, caller_stays);
}

void Front::EnqueueResets(Desk& desk, const ResetRequest& request, bool caller_stays) {
  const std::span<const std::int32_t> ids = request.env_ids;
  desk.ledger.Check(ids, Purpose::kReset);
  CheckCount("seed", request.seeds.size(), "numbers", ids.size());
  CheckCount("options", request.letters.size(), "letters", ids.size());
  CheckResets(request);
  std::vector<std::int32_t> others;
  if (request.observe_others) others = desk.ledger.OthersThan(ids);
  desk.ledger.Check(others, Purpose::kState);
  if (ids.empty() && others.empty()) return;
  OpenBatch(ids.size() + others.size());
  if (journal_) journal_->NoteResets(request);
  desk.ledger.Begin(ids);
  desk.ledger.Begin(others);
  QueueResets(request, others, caller_stays);
}

void Front::Send(const StepRequest& request) { EnqueueSteps(*OpenDesk(), request, false); }

void Front::SendReset(const ResetRequest& request) { EnqueueResets(*OpenDesk(), request, false); }

void Front::CheckPlayers(std::span<const std::int32_t> env_ids,
                         std::span<const std::int32_t> owners) {
  constexpr const char* kExpected = ": the id of each environment, once for each of its players";
  const DeskAccess desk = OpenDesk();
  desk->ledger.Check(env_ids, Purpose::kStep);
  const std::span<const std::int32_t> players = PlayersOf(env_ids, owners.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    const std::size_t end = count + (players.empty() ? 1 : static_cast<std::size_t>(players[i]));
    for (; count < std::min(end, owners.size()); ++count) {
      if (owners[count] == env_ids[i]) continue;
      throw std::invalid_argument("players.env_id[" + std::to_string(count) + "] is " +
                                  std::to_string(owners[count]) + ", expected " +
                                  std::to_string(env_ids[i]) + kExpected);
    }
    count = end;
  }
  if (count == owners.size()) return;
  throw std::invalid_argument("players.env_id has " + std::to_string(owners.size()) +
                              " entries, expected " + std::to_string(count) + kExpected);
}

std::optional<Delivery> Front::Receive(std::optional<Duration> timeout, Interrupt interrupt) {
  CheckUsable();
  const auto deadline = timeout ? Clock::now() + *timeout : Clock::time_point::max();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt, deadline);
  if (!receiver.IsHeld()) return std::nullopt;
  {
    const DeskAccess desk = OpenDesk();
    if (!timeout) desk->ledger.CheckCanReceive(GetBatches().RequestsNeeded());
  }
  if (!Await(deadline, interrupt)) return std::nullopt;
  return Deliver(*desk_.Lock());
}

Delivery Front::Step(const StepRequest& request, Interrupt interrupt) {
  CheckUsable();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt);
  {
    const DeskAccess desk = OpenDesk();
    CheckCanReceive(*desk, request.env_ids.size());
    EnqueueSteps(*desk, request, true);
  }
  return AwaitDelivery(request.env_ids.size(), interrupt);
}

Delivery Front::Reset(const ResetRequest& request, Interrupt interrupt) {
  CheckUsable();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt);
  const std::size_t rows = request.observe_others ? all_ids_.size() : request.env_ids.size();
  {
    const DeskAccess desk = OpenDesk();
    CheckCanReceive(*desk, rows);
    EnqueueResets(*desk, request, true);
  }
  return AwaitDelivery(rows, interrupt);
}

// Would a receive after so many more requests return, and where batches belong to sends with their
// results?
void Front::CheckCanReceive(Desk& desk, std::size_t rows) {
  if (GetBatches().HasOpen()) RefuseForEarlierResults();
  desk.ledger.CheckCanReceive(GetBatches().RequestsNeeded(), rows);
}

bool Front::Await(Clock::time_point deadline, Interrupt interrupt) {
  if (AwaitFront(deadline, interrupt)) return true;
  if (closing_.load() > 0) throw std::runtime_error("the pool was closed during recv()");
  return false;
}

Delivery Front::AwaitDelivery(std::size_t rows, Interrupt interrupt) {
  if (rows == 0) return GetBatches().Empty();
  Await(Clock::time_point::max(), interrupt);
  return Deliver(*desk_.Lock());
}

// The front of the batches is ready. Its environments belong to the callers again.
Delivery Front::Deliver(Desk& desk) {
  const Duration age = GetBatches().FrontAge();
  Delivery delivery = GetBatches().Take();
  desk.statistics.CountBatch(age);
  const auto ids = layout_.env_id.At<std::int32_t>(delivery.block.get(), 0, delivery.rows);
  desk.ledger.Finish(ids);
  if (journal_) journal_->NoteEnds(delivery, ids);
  Settle(desk, delivery, ids);
  for (const EnvError& error : delivery.errors) desk.ledger.Set(error.env_id, Status::kBroken);
  delivery.CloseGaps(layout_);
  return delivery;
}

bool Front::HasOpen() {
  CheckUsable();
  const DeskAccess desk = desk_.Lock();
  return GetBatches().HasOpen();
}

void Front::RefuseForEarlierResults() {
  throw std::runtime_error("there are results of an earlier send: recv() them first");
}

PoolStats Front::Stats(bool restart) {
  CheckUsable();
  const auto update = [this](PoolStats& stats) {
    UpdateTotals(stats);
    stats.failures = Failures().survived.load();
  };
  return desk_.Lock()->statistics.Read(update, restart);
}

void Front::Discard(Interrupt interrupt) {
  CheckUsable();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt);
  const auto is_anything_open = [this] {
    const DeskAccess desk = OpenDesk();
    return GetBatches().HasOpen();
  };
  while (is_anything_open()) AwaitDelivery(1, interrupt);
}

bool Front::Close(Interrupt interrupt, Clock::time_point deadline) {
  if (IsForked()) return true;
  // A signal handler that interrupts a call would wait for it for ever.
  receive_mutex_.CheckNotHeldByThisThread();
  desk_.Lock()->ledger.CheckVisitsNone();
  const Closing closing(closing_);
  WakeReceiver();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt, deadline);
  if (!receiver.IsHeld()) return false;
  {
    // A call that finds an interrupted close done takes its stop back; it must not take ours.
    const DeskAccess desk = desk_.Lock();
    RequestStop();
    if (journal_) journal_->Flush();
  }
  if (!attendance_.AwaitEmpty(interrupt, deadline)) return false;
  // Without the desk, as a disk may be slow. Whoever would note anything now is refused.
  if (journal_ && !journal_->Stop(interrupt, deadline)) return false;
  FinishStop(*desk_.Lock());
  return true;
}

std::string Front::TakeRecordingProblem() {
  return journal_ && !IsForked() ? journal_->TakeProblem() : "";
}

}  // namespace envpool
