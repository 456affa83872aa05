#include "results/batches.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace envpool {

namespace {

// Moves one environment's row, and those of its players, from one place to another before it.
void MoveRow(const Layout& layout, std::byte* block, std::size_t from, std::size_t to,
             std::size_t to_player, std::size_t players) {
  for (const Column& column : layout.all) {
    std::byte* data = block + column.offset;
    const std::size_t source = column.per_player ? from * layout.max_players : from;
    const std::size_t target = column.per_player ? to_player : to;
    if (source == target) continue;  // nobody before it is absent
    const std::size_t count = column.per_player ? players : 1;
    std::memmove(data + target * column.row_bytes, data + source * column.row_bytes,
                 count * column.row_bytes);
  }
}

}  // namespace

std::span<const Request> OfFirstBatch(std::span<const Request> requests) {
  const Batch* batch = requests[0].batch;
  if (requests.back().batch == batch) return requests;
  std::size_t count = 1;
  while (requests[count].batch == batch) ++count;
  return requests.first(count);
}

bool LocalBatches::Complete(std::span<const Request> requests, Clock::time_point now) {
  bool is_ready = false;
  while (!requests.empty()) {
    const std::size_t count = OfFirstBatch(requests).size();
    is_ready |= requests[0].batch->Complete(count, now);
    requests = requests.subspan(count);
  }
  return is_ready;
}

void OrderedBatches::Open(std::size_t rows, Slots* slots) {
  if (slots != nullptr && slots->Taken() > 0 && slots != last_slots_) {
    throw std::runtime_error(
        "since the rollout's last call the environments were stepped, reset or closed without it: "
        "reset() it");
  }
  if (spare_.empty()) spare_.emplace_back();
  Batch& batch = spare_.front();
  batch.Open(rows, slots != nullptr ? BlockLease(slots->shared_from_this()) : Lease());
  last_slots_ = slots;
  open_.splice(open_.end(), spare_, spare_.begin());
  if (open_.size() == 1) SetFront(&batch);
}

void OrderedBatches::Forget() {
  SetFront(nullptr);
  open_.clear();
  last_slots_ = nullptr;
}

Delivery OrderedBatches::Take() {
  Delivery delivery = Front()->Take();
  spare_.splice(spare_.begin(), open_, open_.begin());
  SetFront(open_.empty() ? nullptr : &open_.front());
  return delivery;
}

// Results can begin in the middle of a batch and end in the middle of another.
FirstComeBatches::FirstComeBatches(std::shared_ptr<BlockPool> blocks, std::size_t num_envs,
                                   std::size_t batch_size)
    : LocalBatches(std::move(blocks)),
      batch_size_(batch_size),
      window_size_(num_envs / batch_size + 2) {}

void FirstComeBatches::Start() {
  next_batch_ = 0;
  next_ticket_.store(0);
  while (window_.size() < window_size_) {
    BlockLease lease = Lease();
    window_.emplace_back().Open(batch_size_, std::move(lease));
  }
  SetFront(&window_[0]);
}

void FirstComeBatches::Forget() {
  SetFront(nullptr);
  window_.clear();
}

void FirstComeBatches::TakeRows(std::span<Request> requests) {
  const std::uint64_t ticket = next_ticket_.fetch_add(requests.size());
  std::uint64_t batch = ticket / batch_size_;
  std::uint64_t row = ticket % batch_size_;
  Batch* place = &window_[batch % window_size_];  // divisions take as long as light steps
  for (Request& request : requests) {
    request.batch = place;
    request.row = static_cast<std::uint32_t>(row);
    if (++row == batch_size_) {
      row = 0;
      place = &window_[++batch % window_size_];
    }
  }
}

// The front's place in the window becomes that of the batch one window further on.
Delivery FirstComeBatches::Take() {
  BlockLease next = Lease();
  Batch& batch = *Front();
  Delivery delivery = batch.Take();
  batch.Open(batch_size_, std::move(next));
  ++next_batch_;
  SetFront(&window_[next_batch_ % window_size_]);
  return delivery;
}

void Delivery::CloseGaps(const Layout& layout) {
  player_rows = rows;
  if (errors.empty() && layout.max_players == 1) return;
  std::ranges::sort(errors, {}, &EnvError::row);
  for (EnvError& one : survived) {
    one.row -= static_cast<std::size_t>(
        std::ranges::lower_bound(errors, one.row, {}, &EnvError::row) - errors.begin());
  }
  auto error = errors.begin();
  std::size_t kept = 0;
  player_rows = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (error != errors.end() && error->row == row) {
      ++error;
      continue;
    }
    std::size_t players = 1;
    if (layout.max_players > 1) {
      players =
          static_cast<std::size_t>(layout.player_count.At<std::int32_t>(block.get(), row, 1)[0]);
    }
    MoveRow(layout, block.get(), row, kept, player_rows, players);
    ++kept;
    player_rows += players;
  }
  rows = kept;
}

}  // namespace envpool
