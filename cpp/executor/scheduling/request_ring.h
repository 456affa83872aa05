// RequestRing: a bounded queue of environments that wait for a worker.
//
// One producer at a time (the pool serialises its callers) appends requests and publishes them in
// bulk; any number of workers claim a few at a time from the front, lock-free.
//
//   Append, Publish: write the entries, then show them all by moving the tail.
//   Claim: read the head, read as many entries as are wanted, then take them by moving the head
//          with one compare-and-swap. If the entries were overwritten in between, the head has
//          moved too, so the swap fails and the values read are thrown away. (Positions are 64-bit
//          and never wrap.) Entries are stored with release and loaded with acquire: a worker
//          that reads an overwritten one then sees that the head has moved, also if it does not
//          swap, but only compares it.
//
// An environment has at most one request in flight and the capacity is at least the number of
// environments, so unclaimed entries are never overwritten.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "executor/scheduling/request.h"
#include "executor/threads/machine.h"

namespace envpool {

class RequestRing {
 public:
  explicit RequestRing(std::size_t capacity)
      : mask_(std::bit_ceil(capacity) - 1), entries_(std::make_unique<Entry[]>(mask_ + 1)) {}

  // Only one thread at a time; nobody sees the request before Publish.
  void Append(const Request& request) {
    Entry& entry = entries_[appended_++ & mask_];
    entry.numbers.store(std::uint64_t{request.row} << 32 | request.env << 2 |
                            static_cast<std::uint64_t>(request.cost),
                        std::memory_order_release);
    entry.batch.store(request.batch, std::memory_order_release);
  }

  // Sequentially consistent, because a worker that is about to park re-reads it (see Gate).
  void Publish() { tail_.store(appended_); }

  // Takes requests from the front into `out` and returns how many: none when there are none or the
  // first is not wanted(cost); else up to limit(cost, how many there are) of the same cost.
  template <class Wanted, class Limit>
  std::size_t Claim(std::span<Request> out, Wanted wanted, Limit limit) {
    std::uint64_t head = head_.load(std::memory_order_acquire);
    while (true) {
      const std::uint64_t tail = tail_.load();
      if (head >= tail) return 0;
      out[0] = Read(head);
      const std::size_t waiting = tail - head;
      const std::size_t most = std::min({limit(out[0].cost, waiting), out.size(), waiting});
      std::size_t count = 1;
      for (; count < most; ++count) {
        out[count] = Read(head + count);
        if (out[count].cost != out[0].cost) break;
      }
      if (!wanted(out[0].cost)) {
        // Only trust what was read if nobody took it meanwhile.
        const std::uint64_t now = head_.load(std::memory_order_acquire);
        if (now == head) return 0;
        head = now;
      } else if (head_.compare_exchange_weak(head, head + count, std::memory_order_acq_rel,
                                             std::memory_order_acquire)) {
        return count;
      }
    }
  }

  std::size_t Waiting() const {
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    const std::uint64_t tail = tail_.load();
    return tail > head ? tail - head : 0;
  }

  // Drops everything. Only while no other thread uses the ring.
  void Clear() { head_.store(tail_.load()); }

 private:
  struct Entry {
    std::atomic<std::uint64_t> numbers;
    std::atomic<Batch*> batch;
  };

  Request Read(std::uint64_t position) const {
    const Entry& entry = entries_[position & mask_];
    const std::uint64_t numbers = entry.numbers.load(std::memory_order_acquire);
    const auto low = static_cast<std::uint32_t>(numbers);
    return {low >> 2, static_cast<std::uint32_t>(numbers >> 32),
            entry.batch.load(std::memory_order_acquire), static_cast<Cost>(low & 3)};
  }

  const std::uint64_t mask_;
  const std::unique_ptr<Entry[]> entries_;
  std::uint64_t appended_ = 0;  // the tail, as the producer sees it
  alignas(kCacheLine) std::atomic<std::uint64_t> head_ = 0;
  alignas(kCacheLine) std::atomic<std::uint64_t> tail_ = 0;
};
// The head, which all workers move, and the tail, which they watch, each have a line.
static_assert(alignof(RequestRing) == kCacheLine && sizeof(RequestRing) == 3 * kCacheLine);

}  // namespace envpool
