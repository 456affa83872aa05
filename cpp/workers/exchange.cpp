#include "workers/exchange.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <string>

#include "loading/require.h"

namespace envpool {

namespace {

constexpr std::size_t kWordBits = 64;
constexpr std::size_t kMostOpen = 64;          // sends of a synchronous pool
constexpr std::size_t kSpareBytes = 64 << 20;  // of blocks that callers may keep

// Who took a row, and how many had been taken then: the upper and the lower part of a word.
constexpr int kEnvBits = 24;
constexpr std::uint64_t TakenBy(std::uint64_t count, std::uint64_t env) {
  return count << kEnvBits | env;
}
constexpr std::uint64_t CountOf(std::uint64_t taken) { return taken >> kEnvBits; }

std::size_t CountBatches(const PoolConfig& pool) {
  const auto num_envs = static_cast<std::size_t>(pool.num_envs);
  if (pool.IsSynchronous()) return std::min(num_envs, kMostOpen);
  return num_envs / static_cast<std::size_t>(pool.batch_size) + 2;
}

// Checked and converted here, or taken as they come.
ActionStore ActionsIn(const SharedConfig& config, std::byte* memory) {
  return {config.spec.action, config.workers.size(),
          static_cast<std::size_t>(config.spec.max_num_players), config.check_actions, memory};
}

// Deals out parts of the shared memory. Without any, it only adds up how much is needed. What is
// there already stays: new memory is zero, which is how all that lies in it begins.
class Dealer {
 public:
  explicit Dealer(std::byte* memory) : memory_(memory) {}

  template <class T>
  std::span<T> Next(std::size_t count) {
    std::byte* begin = Next(sizeof(T) * count);
    return {std::launder(reinterpret_cast<T*>(begin)), memory_ == nullptr ? 0 : count};
  }
  std::byte* Next(std::size_t bytes) {
    const std::size_t offset = used_;
    used_ += RoundUp(bytes, kCacheLine);
    return memory_ == nullptr ? nullptr : memory_ + offset;
  }
  std::size_t Used() const { return used_; }

 private:
  std::byte* memory_;
  std::size_t used_ = 0;
};

}  // namespace

Exchange::Exchange(const File& file, const SharedConfig& config, const Layout& layout)
    : batch_size_(static_cast<std::size_t>(config.pool.batch_size)),
      done_words_((batch_size_ + kWordBits - 1) / kWordBits),
      ring_size_(std::bit_ceil(static_cast<std::size_t>(config.pool.num_envs))),
      block_bytes_(RoundUp(layout.bytes, kCacheLine)) {
  const auto num_envs = static_cast<std::size_t>(config.pool.num_envs);
  Require(num_envs < std::size_t{1} << kEnvBits,
          "num_envs is " + std::to_string(num_envs) + ", expected less than 2^24");
  const auto num_workers = static_cast<std::size_t>(config.pool.num_threads);
  const std::size_t num_batches = CountBatches(config.pool);
  num_blocks_ = num_batches + std::clamp<std::size_t>(kSpareBytes / block_bytes_, 8, 256);

  const auto deal = [&](std::byte* memory) {
    Dealer dealer(memory);
    header_ = reinterpret_cast<ExchangeHeader*>(dealer.Next(sizeof(ExchangeHeader)));
    workers_ = dealer.Next<WorkerLine>(num_workers);
    rings_ = dealer.Next<std::uint32_t>(num_workers * ring_size_);
    envs_ = dealer.Next<EnvLine>(num_envs);
    batches_ = dealer.Next<BatchLine>(num_batches);
    rows_ = dealer.Next<RowLine>(num_batches * batch_size_);
    done_ = dealer.Next<std::atomic<std::uint64_t>>(num_batches * done_words_);
    actions_ = dealer.Next(ActionsIn(config, memory).Bytes());
    blocks_ = dealer.Next(num_blocks_ * block_bytes_);
    return dealer.Used();
  };
  memory_ = std::make_shared<const SharedMemory>(file, deal(nullptr));
  deal(memory_->Begin());
}

ActionStore Exchange::MakeActions(const SharedConfig& config) const {
  return ActionsIn(config, actions_);
}

void Exchange::Request(std::size_t worker, std::uint32_t env) {
  WorkerLine& line = workers_[worker];
  const std::uint32_t number = line.requested.load(std::memory_order_relaxed);
  rings_[worker * ring_size_ + number % ring_size_] = env;
  line.requested.store(number + 1);
}

std::optional<std::uint32_t> Exchange::Claim(std::size_t worker) {
  if (!HasRequests(worker)) return std::nullopt;
  WorkerLine& line = workers_[worker];
  const std::uint32_t number = line.claimed.load(std::memory_order_relaxed);
  const std::uint32_t env = rings_[worker * ring_size_ + number % ring_size_];
  Env(env).running_since.store(Clock::now().time_since_epoch().count());
  line.claimed.store(number + 1);
  return env;
}

bool Exchange::HasRequests(std::size_t worker) const {
  const WorkerLine& line = workers_[worker];
  return line.requested.load() != line.claimed.load(std::memory_order_relaxed);
}

std::span<std::atomic<std::uint64_t>> Exchange::Done(std::size_t batch) const {
  return done_.subspan(batch * done_words_, done_words_);
}

void Exchange::Open(std::size_t batch, std::size_t rows, std::size_t block) {
  BatchLine& line = batches_[batch];
  line.rows = static_cast<std::uint32_t>(rows);
  line.block = static_cast<std::uint32_t>(block);
  line.has_letters.store(false);
  // The bits of rows that it does not have are set from the start.
  std::size_t waiting = rows;
  for (std::atomic<std::uint64_t>& word : Done(batch)) {
    const std::size_t count = std::min(waiting, kWordBits);
    waiting -= count;
    word.store(count == kWordBits ? 0 : ~std::uint64_t{0} << count);
  }
}

Place Exchange::PlaceOf(std::uint64_t ticket) const {
  return {static_cast<std::uint32_t>(ticket / batch_size_ % batches_.size()),
          static_cast<std::uint32_t>(ticket % batch_size_)};
}

// Unless a later one has taken that place since.
void Exchange::NoteTaken(std::uint64_t taken) {
  if (CountOf(taken) == 0) return;
  std::atomic<std::uint64_t>& note = Row(PlaceOf(CountOf(taken) - 1)).taken;
  std::uint64_t known = note.load();
  while (known < taken && !note.compare_exchange_weak(known, taken)) {
  }
}

Place Exchange::TakeRow(std::uint32_t env) {
  std::uint64_t last = header_->last_taken.load();
  std::uint64_t taken;
  do {
    NoteTaken(last);
    taken = TakenBy(CountOf(last) + 1, env);
  } while (!header_->last_taken.compare_exchange_weak(last, taken));
  return PlaceOf(CountOf(last));
}

std::optional<Place> Exchange::FindRow(std::uint32_t env, std::uint64_t first) {
  const std::uint64_t last = header_->last_taken.load();
  NoteTaken(last);
  for (std::uint64_t ticket = first; ticket < CountOf(last); ++ticket) {
    const Place place = PlaceOf(ticket);
    if (Row(place).taken.load() == TakenBy(ticket + 1, env)) return place;
  }
  return std::nullopt;
}

bool Exchange::Complete(Place place) {
  Done(place.batch)[place.row / kWordBits].fetch_or(std::uint64_t{1} << place.row % kWordBits);
  return IsReady(place.batch);
}

bool Exchange::IsComplete(Place place) const {
  return (Done(place.batch)[place.row / kWordBits].load() >> place.row % kWordBits & 1) != 0;
}

bool Exchange::IsReady(std::size_t batch) const {
  return std::ranges::all_of(Done(batch),
                             [](const auto& word) { return word.load() == ~std::uint64_t{0}; });
}

}  // namespace envpool
