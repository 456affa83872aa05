#include "workers/shared_batches.h"

#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

namespace envpool {

namespace {

constexpr std::size_t kMostCopies = 64;  // of results that callers keep; more are freed

}  // namespace

SharedBatches::SharedBatches(const SharedConfig& config, const Layout& layout, Exchange& exchange,
                             std::span<const File> outboxes)
    : Batches(std::make_shared<BlockPool>(layout.bytes, kMostCopies)),
      config_(config),
      layout_(layout),
      exchange_(exchange),
      outboxes_(outboxes),
      is_synchronous_(config.pool.IsSynchronous()),
      batch_size_(static_cast<std::size_t>(config.pool.batch_size)),
      blocks_(std::make_shared<SharedBlocks>(exchange, layout.bytes)),
      leases_(exchange.NumBatches()),
      ends_(config.workers.size()) {
  if (is_synchronous_) return;
  for (std::size_t batch = 0; batch < leases_.size(); ++batch) OpenAt(batch, batch_size_);
  num_open_.store(leases_.size());
}

void SharedBatches::OpenAt(std::size_t batch, std::size_t rows) {
  leases_[batch] = BlockLease(blocks_);
  exchange_.Open(batch, rows, exchange_.IndexOf(leases_[batch].get()));
}

void SharedBatches::Open(std::size_t rows) {
  if (!is_synchronous_) return;
  const std::size_t num_open = num_open_.load();
  if (num_open == leases_.size()) {
    throw std::runtime_error("there are " + std::to_string(num_open) +
                             " sends whose results were not received: recv() them first");
  }
  OpenAt(After(front_.load(), num_open), rows);
  num_open_.store(num_open + 1);
}

std::optional<Place> SharedBatches::PlaceOf(std::size_t request) const {
  if (!is_synchronous_) return std::nullopt;
  const std::size_t newest = After(front_.load(), num_open_.load() - 1);
  return Place{static_cast<std::uint32_t>(newest), static_cast<std::uint32_t>(request)};
}

Delivery SharedBatches::Take() {
  const std::size_t batch = front_.load();
  Delivery delivery;
  delivery.rows = exchange_.Batch(batch).rows;
  if (exchange_.Batch(batch).has_letters.load()) ReadRows(batch, delivery);
  delivery.block = TakeBlock(batch);
  ++received_;
  // The last one that was open is used again for the next send.
  const bool is_last = is_synchronous_ && num_open_.load() == 1;
  if (!is_synchronous_) OpenAt(batch, batch_size_);
  if (!is_last) front_.store(After(batch, 1));
  if (is_synchronous_) num_open_.store(num_open_.load() - 1);
  return delivery;
}

// The block of a batch, or a copy if callers keep so many that workers would have no memory to
// write the next results to.
BlockLease SharedBatches::TakeBlock(std::size_t batch) {
  const std::size_t needed = is_synchronous_ ? 1 + leases_.size() - num_open_.load() : 2;
  if (blocks_->Has(needed)) return std::move(leases_[batch]);
  BlockLease copy = Lease();
  std::memcpy(copy.get(), leases_[batch].get(), layout_.bytes);
  leases_[batch] = BlockLease();
  return copy;
}

// What came along with the rows of a batch, and which have failed.
void SharedBatches::ReadRows(std::size_t batch, Delivery& delivery) {
  const auto ids =
      layout_.env_id.At<std::int32_t>(leases_[batch].get(), 0, exchange_.Batch(batch).rows);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto env = static_cast<std::size_t>(ids[i]);
    const RowLine& row =
        exchange_.Row({static_cast<std::uint32_t>(batch), static_cast<std::uint32_t>(i)});
    std::string bytes;
    if (row.letter.size > 0) {
      bytes = ReadLetter(outboxes_[static_cast<std::size_t>(config_.workers[env])], row.letter);
    }
    if (row.survived) {
      std::string text = bytes.substr(0, row.text_size);
      bytes.erase(0, row.text_size);
      const bool was_lost = exchange_.Env(env).task == Task::kSurvive;
      const auto kind = was_lost ? EnvError::Kind::kWorkerEnd : EnvError::Kind::kSurvived;
      delivery.survived.push_back({i, ids[i], std::move(text), kind});
    }
    if (!row.failed) {
      // Rows of failed environments will be closed.
      if (!bytes.empty())
        delivery.letters.push_back({i - delivery.errors.size(), std::move(bytes)});
    } else if (row.letter.size > 0) {
      delivery.errors.push_back({i, ids[i], std::move(bytes), EnvError::Kind::kLetter});
    } else {
      std::string end = std::exchange(ends_[env], {});
      delivery.errors.push_back({i, ids[i], std::move(end), EnvError::Kind::kWorkerEnd});
    }
  }
}

std::optional<Place> SharedBatches::FindPlace(std::int32_t env) {
  const auto id = static_cast<std::uint32_t>(env);
  const EnvLine& line = exchange_.Env(id);
  if (line.place) return line.place;
  return exchange_.FindRow(id, received_ * batch_size_);
}

void SharedBatches::Fail(std::int32_t env, std::string why) {
  const auto id = static_cast<std::uint32_t>(env);
  const std::optional<Place> found = FindPlace(env);
  const Place place = found ? *found : exchange_.TakeRow(id);
  if (exchange_.IsComplete(place)) return;
  ends_[id] = std::move(why);
  RowLine& row = exchange_.Row(place);
  row.failed = true;
  row.survived = false;
  row.letter = {};
  std::byte* block = exchange_.Block(exchange_.Batch(place.batch).block);
  layout_.env_id.At<std::int32_t>(block, place.row, 1)[0] = env;
  exchange_.Batch(place.batch).has_letters.store(true);
  exchange_.Complete(place);
}

}  // namespace envpool
