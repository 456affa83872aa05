#include "executor/office.h"

#include <numeric>
#include <stdexcept>

namespace envpool {

namespace {

std::vector<std::int32_t> IdsBelow(int count) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

}  // namespace

void Desk::Begin(const StepRequest& request, std::span<const std::int32_t> players) {
  if (journal != nullptr) journal->NoteSteps(request, players);
  ledger.Begin(request.env_ids);
}

void Desk::Begin(const ResetRequest& request, std::span<const std::int32_t> others) {
  if (journal != nullptr) journal->NoteResets(request);
  ledger.Begin(request.env_ids);
  ledger.Begin(others);
}

Delivery Desk::Take(Batches& batches, const Layout& layout) {
  const Duration age = batches.FrontAge();
  Delivery delivery = batches.Take();
  statistics.CountBatch(age);
  const std::span<const std::int32_t> ids = IdsOf(delivery, layout);
  ledger.Finish(ids);
  if (journal != nullptr) journal->NoteEnds(delivery, ids);
  return delivery;
}

void Desk::Finish(Delivery& delivery, const Layout& layout) {
  for (const EnvError& error : delivery.errors) ledger.Set(error.env_id, Status::kBroken);
  delivery.CloseGaps(layout);
}

Office::Office(int num_envs, int num_workers, Crew& workers)
    : crew(workers), all_ids(IdsBelow(num_envs)), desk(Ledger(all_ids), Statistics(num_workers)) {}

void Office::CheckUsable() const {
  if (!IsForked()) return;
  throw std::runtime_error(
      "this pool was created before the process forked, and its workers are the parent's: create a "
      "pool in the child instead");
}

// Once the workers are told to stop, no thread is inside of a receive: who tells them holds
// receive_mutex, and who comes later is refused here.
DeskAccess Office::OpenDesk() {
  CheckUsable();
  DeskAccess access = desk.Lock();
  if (access->is_closed) throw std::runtime_error("the pool is closed");
  if (!access->is_stopping) return access;
  if (closing.load() > 0 || !attendance.IsEmpty()) {
    throw std::runtime_error(
        "the pool is being closed, and some environments still run: close() waits for them");
  }
  // A close was interrupted, and what it waited for has happened since.
  crew.FinishStop(*access);
  access->is_stopping = false;
  return access;
}

void Office::Record(const PoolConfig& config, std::span<const Field> actions, const Layout& layout,
                    Journal::Source& source) {
  if (config.record.empty()) return;
  journal = std::make_unique<Journal>(config, actions, layout, source);
  desk.Lock()->journal = journal.get();
}

}  // namespace envpool
