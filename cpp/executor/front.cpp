#include "executor/front.h"

#include <algorithm>
#include <stdexcept>

namespace envpool {

namespace {

constexpr const char* kClosedMeanwhile = "the pool was closed during recv()";

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

void Front::Enqueue(Desk& desk, const StepRequest& request, bool caller_stays) {
  desk.ledger.Check(request.env_ids, Purpose::kStep);
  office_.crew.QueueSteps(desk, request, caller_stays);
}

void Front::Enqueue(Desk& desk, const ResetRequest& request, bool caller_stays) {
  const std::span<const std::int32_t> ids = request.env_ids;
  desk.ledger.Check(ids, Purpose::kReset);
  std::vector<std::int32_t> others;
  if (request.observe_others) others = desk.ledger.OthersThan(ids);
  desk.ledger.Check(others, Purpose::kState);
  office_.crew.QueueResets(desk, request, others, caller_stays);
}

void Front::Send(const StepRequest& request) { Enqueue(*office_.OpenDesk(), request, false); }

void Front::SendReset(const ResetRequest& request) { Enqueue(*office_.OpenDesk(), request, false); }

void Front::SetNext(std::span<const std::int32_t> env_ids, std::vector<Choice> next) {
  const DeskAccess desk = office_.OpenDesk();
  desk->ledger.Check(env_ids, Purpose::kReset);
  office_.crew.PassNext(env_ids, next);
  for (std::size_t i = 0; i < next.size(); ++i) {
    GetChoices(env_ids[i]).SetNext(std::move(next[i]));
  }
  if (desk->journal != nullptr) desk->journal->NoteNext(env_ids);
}

void Front::CheckIdle(std::span<const std::int32_t> env_ids, bool mended) {
  office_.OpenDesk()->ledger.Check(env_ids, mended ? Purpose::kReset : Purpose::kState);
}

std::vector<std::pair<std::int32_t, std::int64_t>> Front::WithoutNext(
    std::span<const std::int32_t> env_ids) {
  const DeskAccess desk = office_.OpenDesk();
  desk->ledger.Check(env_ids, Purpose::kReset);
  std::vector<std::pair<std::int32_t, std::int64_t>> without;
  for (const std::int32_t id : env_ids) {
    if (GetChoices(id).Next() == nullptr) without.emplace_back(id, GetChoices(id).NumBegun());
  }
  return without;
}

std::vector<std::pair<std::int64_t, std::optional<Choice>>> Front::Episodes(
    std::span<const std::int32_t> env_ids) {
  const DeskAccess desk = office_.OpenDesk();
  desk->ledger.Check(env_ids, Purpose::kReset);
  std::vector<std::pair<std::int64_t, std::optional<Choice>>> episodes;
  for (const std::int32_t id : env_ids) {
    const Choices& choices = GetChoices(id);
    const Choice* begun = choices.Begun();
    episodes.emplace_back(choices.NumBegun(), begun ? std::optional(*begun) : std::nullopt);
  }
  return episodes;
}

void Front::CheckPlayers(std::span<const std::int32_t> env_ids,
                         std::span<const std::int32_t> owners) {
  constexpr const char* kExpected = ": the id of each environment, once for each of its players";
  const DeskAccess desk = office_.OpenDesk();
  desk->ledger.Check(env_ids, Purpose::kStep);
  const std::span<const std::int32_t> players = office_.crew.PlayersOf(env_ids, owners.size());
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
  const InterruptibleMutex::Lock receiver(office_.receive_mutex, interrupt, deadline);
  if (!receiver.IsHeld()) return std::nullopt;
  {
    const DeskAccess desk = office_.OpenDesk();
    if (!timeout) desk->ledger.CheckCanReceive(GetBatches().RequestsNeeded());
  }
  return Await(deadline, interrupt);
}

Delivery Front::Step(const StepRequest& request, Interrupt interrupt) {
  return Call(request, request.env_ids.size(), interrupt);
}

Delivery Front::Reset(const ResetRequest& request, Interrupt interrupt) {
  return Call(request, request.observe_others ? AllIds().size() : request.env_ids.size(),
              interrupt);
}

// Queues a request for so many rows, and waits for them.
template <class Request>
Delivery Front::Call(const Request& request, std::size_t rows, Interrupt interrupt) {
  CheckUsable();
  const InterruptibleMutex::Lock receiver(office_.receive_mutex, interrupt);
  {
    const DeskAccess desk = office_.OpenDesk();
    CheckCanReceive(*desk, rows);
    Enqueue(*desk, request, true);
  }
  return AwaitDelivery(rows, interrupt);
}

// Throws unless a receive after so many more requests returns, and, where batches belong to sends,
// with their results.
void Front::CheckCanReceive(Desk& desk, std::size_t rows) {
  if (GetBatches().HasOpen()) {
    if (office_.closing.load() > 0) throw std::runtime_error("the pool is being closed");
    throw std::runtime_error("there are results of an earlier send: recv() them first");
  }
  desk.ledger.CheckCanReceive(GetBatches().RequestsNeeded(), rows);
}

std::optional<Delivery> Front::Await(Clock::time_point deadline, Interrupt interrupt) {
  std::optional<Delivery> delivery = office_.crew.Await(deadline, interrupt);
  if (delivery || office_.closing.load() == 0) return delivery;
  throw std::runtime_error(kClosedMeanwhile);
}

Delivery Front::AwaitDelivery(std::size_t rows, Interrupt interrupt) {
  if (rows == 0) return GetBatches().Empty();
  std::optional<Delivery> delivery = Await(Clock::time_point::max(), interrupt);
  // A close that gave up in the meantime has woken this thread.
  if (!delivery) throw std::runtime_error(kClosedMeanwhile);
  return std::move(*delivery);
}

bool Front::HasOpen() {
  CheckUsable();
  const DeskAccess desk = office_.desk.Lock();
  return GetBatches().HasOpen();
}

PoolStats Front::Stats(bool restart) {
  CheckUsable();
  const auto update = [this](PoolStats& stats) {
    office_.crew.UpdateTotals(stats);
    stats.failures = GetFailures().count.load();
  };
  return office_.desk.Lock()->statistics.Read(update, restart);
}

void Front::Discard(Interrupt interrupt) {
  CheckUsable();
  const InterruptibleMutex::Lock receiver(office_.receive_mutex, interrupt);
  const auto is_anything_open = [this] {
    const DeskAccess desk = office_.OpenDesk();
    return GetBatches().HasOpen();
  };
  while (is_anything_open()) AwaitDelivery(1, interrupt);
}

bool Front::Close(Interrupt interrupt, Clock::time_point deadline) {
  if (IsForked()) return true;
  // A signal handler that interrupts a call would wait for it for ever.
  office_.receive_mutex.CheckNotHeldByThisThread();
  if (Office::visited == &office_) throw std::runtime_error(kCalledByHandler);
  // Given back after `closing` has ended: who receives next would be told that the pool was closed,
  // and leave a batch that no close forgets.
  std::optional<InterruptibleMutex::Lock> receiver;
  const Closing closing(office_.closing);
  office_.crew.WakeReceiver();
  receiver.emplace(office_.receive_mutex, interrupt, deadline);
  if (!receiver->IsHeld()) return false;
  {
    // A call that finds an interrupted close done takes its stop back; it must not take ours.
    const DeskAccess desk = office_.desk.Lock();
    desk->is_stopping = true;
    office_.crew.RequestStop();
    if (desk->journal != nullptr) desk->journal->Flush();
  }
  if (!office_.attendance.AwaitEmpty(interrupt, deadline)) return false;
  // Without the desk, as a disk may be slow. Whoever would note anything now is refused.
  if (office_.journal && !office_.journal->Stop(interrupt, deadline)) return false;
  const DeskAccess desk = office_.desk.Lock();
  office_.crew.FinishStop(*desk);
  desk->is_stopping = false;
  return true;
}

std::string Front::TakeRecordingProblem() {
  return office_.journal && !IsForked() ? office_.journal->TakeProblem() : "";
}

}  // namespace envpool
