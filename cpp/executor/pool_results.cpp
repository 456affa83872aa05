// From rows that workers complete to what a receiver gets.
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "executor/pool.h"

namespace envpool {

namespace {

// Some microseconds. The receiver of a synchronous pool has a core of its own and waits for a few
// last steps, which takes less than being woken up; in an asynchronous pool a worker may need it.
constexpr int kReceiverSpins = 200;
constexpr int kSynchronousReceiverSpins = 1000;

}  // namespace

// The batch that is received next, or null if none is open.
const Batch* Pool::NextBatch() const {
  if (IsSynchronous()) return open_batches_.empty() ? nullptr : &open_batches_.front();
  return window_.empty() ? nullptr : &window_[next_batch_ % window_.size()];
}

bool Pool::IsNextBatchReady() const {
  const std::lock_guard lock(request_mutex_);
  const Batch* batch = NextBatch();
  return batch != nullptr && batch->Ready();
}

// In a synchronous pool the order of rows is fixed, so that the receiver can do some of the work
// itself. In an asynchronous one that would keep it from seeing that its batch is ready.
void Pool::HelpWorkers(Clock::time_point deadline, Interrupt interrupt) {
  if (!IsSynchronous()) return;
  auto last_interrupt = Clock::now();
  while (closing_.load() == 0 && !IsNextBatchReady() && ClaimAndRun(0, false, counters_[0])) {
    const auto now = Clock::now();
    if (now > deadline) return;
    if (now - last_interrupt > kInterruptPeriod) {
      interrupt();
      last_interrupt = now;
    }
  }
}

// Returns false when the time is over.
bool Pool::AwaitBatch(Clock::time_point deadline, Interrupt interrupt) {
  HelpWorkers(deadline, interrupt);
  if (IsNextBatchReady()) return true;
  if (!Wait(deadline, interrupt)) return false;
  if (!IsNextBatchReady()) throw std::runtime_error("the pool was closed during recv()");
  return true;
}

// Until the next batch is ready or the pool is being closed. Returns false when the time is over.
bool Pool::Wait(Clock::time_point deadline, Interrupt interrupt) {
  const auto ready = [this] { return IsNextBatchReady() || closing_.load() > 0; };
  {
    const ThreadCounters::Rest rest(counters_[0]);
    const int spins = IsSynchronous() ? kSynchronousReceiverSpins : kReceiverSpins;
    for (int spin = 0; spin < spins && !ready(); ++spin) Pause();
  }
  const auto sleep = [&](Duration duration) {
    const ThreadCounters::Rest rest(counters_[0]);
    return done_gate_.WaitFor(duration, ready);
  };
  Duration period = std::chrono::milliseconds(1);
  while (!ready()) {
    const Duration left = deadline - Clock::now();
    if (left <= Duration::zero()) return false;
    if (!sleep(std::min(left, period))) {
      interrupt();
      // Perhaps a light request was not so light, and others wait behind it.
      if (requests_.Waiting() > 0) Invite(available_.load() + 1);
      period = std::min(2 * period, kInterruptPeriod);
    }
    HelpWorkers(deadline, interrupt);
  }
  return true;
}

Delivery Pool::AwaitDelivery(Interrupt interrupt) {
  AwaitBatch(Clock::time_point::max(), interrupt);
  const std::lock_guard lock(request_mutex_);
  return Deliver();
}

Delivery Pool::Deliver() {
  Batch& batch = IsSynchronous() ? open_batches_.front() : window_[next_batch_ % window_.size()];
  // What may fail comes first: after that, the batch is gone.
  BlockLease next_lease;
  if (!IsSynchronous()) next_lease = BlockLease(blocks_);
  const bool has_gaps = batch.HasErrors() || layout_.max_players > 1;
  std::vector<bool> failed(has_gaps ? batch.Rows() : 0);

  Delivery delivery;
  delivery.errors = batch.TakeErrors();
  delivery.warnings = batch.TakeWarnings();
  delivery.block = std::move(batch.block);
  delivery.rows = batch.Rows();
  delivery.player_rows = delivery.rows * layout_.max_players;

  ++batches_;
  // A synchronous step waits for its own batch, so there its age says nothing.
  if (!IsSynchronous()) batch_age_ns_ += Duration(Clock::now() - batch.ReadyTime()).count();
  UpdateStatus(delivery);
  for (const EnvError& error : delivery.errors) failed[error.row] = true;
  in_flight_ -= delivery.rows;
  if (has_gaps) RemoveGaps(delivery, std::move(failed));

  if (IsSynchronous()) {
    spare_batches_.splice(spare_batches_.begin(), open_batches_, open_batches_.begin());
  } else {
    // The place in the window becomes that of the batch one window further on.
    batch.Open(static_cast<std::size_t>(config_.batch_size), std::move(next_lease));
    ++next_batch_;
  }
  return delivery;
}

// The environments of a batch belong to the callers again.
void Pool::UpdateStatus(const Delivery& delivery) {
  const auto ids = layout_.env_id.At<std::int32_t>(delivery.block.get(), 0, delivery.rows);
  for (const std::int32_t id : ids) status_[static_cast<std::size_t>(id)] = Status::kIdle;
  if (config_.autoreset_mode == AutoresetMode::kDisabled) {
    for (const std::int32_t id : ids) {
      const auto env = static_cast<std::size_t>(id);
      SetStatus(env, IdleStatus(env));
    }
  }
  for (const EnvError& error : delivery.errors) {
    SetStatus(static_cast<std::size_t>(error.env_id), Status::kBroken);
  }
}

void Pool::Discard(Interrupt interrupt) {
  CheckUsable();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt);
  const auto is_anything_open = [this] {
    const std::lock_guard lock(request_mutex_);
    CheckNotStopping();
    return NextBatch() != nullptr;
  };
  while (is_anything_open()) AwaitDelivery(interrupt);
}

Delivery Pool::EmptyDelivery() {
  Delivery delivery;
  delivery.block = BlockLease(blocks_);
  return delivery;
}

// Moves rows up to where failed environments and absent players left room.
void Pool::RemoveGaps(Delivery& delivery, std::vector<bool> failed) const {
  std::byte* block = delivery.block.get();
  std::size_t rows = 0;
  std::size_t player_rows = 0;
  for (std::size_t row = 0; row < delivery.rows; ++row) {
    if (failed[row]) continue;
    std::size_t players = 1;
    if (layout_.max_players > 1) {
      players = static_cast<std::size_t>(layout_.player_count.At<std::int32_t>(block, row, 1)[0]);
    }
    for (const Column& column : layout_.all) {
      std::byte* data = block + column.offset;
      const std::size_t from = column.per_player ? row * layout_.max_players : row;
      const std::size_t to = column.per_player ? player_rows : rows;
      const std::size_t count = column.per_player ? players : 1;
      std::memmove(data + to * column.row_bytes, data + from * column.row_bytes,
                   count * column.row_bytes);
    }
    ++rows;
    player_rows += players;
  }
  delivery.rows = rows;
  delivery.player_rows = player_rows;
}

}  // namespace envpool
