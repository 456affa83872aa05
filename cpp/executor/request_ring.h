// RequestRing: the bounded queue of environments that wait for a worker.
//
// One producer at a time (the pool serialises its callers) appends requests in bulk; any number of
// workers claim a few at a time from the front, lock-free.
//
//   Push:  write the entries, then publish them by moving the tail.
//   Claim: read the head, read as many entries as are wanted, then take them by moving the head
//          with one compare-and-swap. If the entries were overwritten in between, the head has
//          moved too, so the swap fails and the values read are thrown away. (Positions are 64-bit
//          and never wrap.)
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

namespace envpool {

// What an environment's last request cost, and with it how the next one is scheduled.
enum class Cost : std::uint8_t {
  kUnknown,   // not measured yet: treated as heavy
  kLight,     // under about a microsecond: claimed several at a time
  kModerate,  // claimed one at a time
  kHeavy,     // so long that the calling thread leaves it to the workers
};

struct Request {
  std::uint32_t env;
  Cost cost;
};

class RequestRing {
 public:
  explicit RequestRing(std::size_t capacity)
      : mask_(std::bit_ceil(capacity) - 1),
        entries_(std::make_unique<std::atomic<std::uint32_t>[]>(mask_ + 1)) {}

  // Only one thread at a time.
  template <class RequestAt>
  void Push(std::size_t count, RequestAt request_at) {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < count; ++i) {
      entries_[(tail + i) & mask_].store(Pack(request_at(i)), std::memory_order_relaxed);
    }
    // Sequentially consistent, because a worker that is about to park re-reads it (see Gate).
    tail_.store(tail + count, std::memory_order_seq_cst);
  }

  // Takes requests from the front into `out` and returns how many: none when there are none or the
  // first is not wanted(cost); one when the first is not light; else up to `limit` light
  // ones.
  template <class Wanted>
  std::size_t Claim(std::span<Request> out, Wanted wanted, std::size_t limit) {
    std::uint64_t head = head_.load(std::memory_order_acquire);
    while (true) {
      const std::uint64_t tail = tail_.load(std::memory_order_acquire);
      if (head >= tail) return 0;
      out[0] = Unpack(entries_[head & mask_].load(std::memory_order_relaxed));
      std::size_t count = 1;
      if (out[0].cost == Cost::kLight) {
        const std::size_t most = std::min({limit, out.size(), std::size_t{tail - head}});
        while (count < most) {
          const std::uint64_t position = (head + count) & mask_;
          const Request next = Unpack(entries_[position].load(std::memory_order_relaxed));
          if (next.cost != Cost::kLight) break;
          out[count++] = next;
        }
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
    const std::uint64_t tail = tail_.load(std::memory_order_seq_cst);
    return tail > head ? tail - head : 0;
  }
  bool Empty() const { return Waiting() == 0; }

  // Drops everything. Only while no other thread uses the ring.
  void Clear() { head_.store(tail_.load()); }

 private:
  static std::uint32_t Pack(Request request) {
    return request.env << 2 | static_cast<std::uint32_t>(request.cost);
  }
  static Request Unpack(std::uint32_t entry) { return {entry >> 2, static_cast<Cost>(entry & 3)}; }

  static constexpr std::size_t kCacheLine = 64;

  const std::uint64_t mask_;
  const std::unique_ptr<std::atomic<std::uint32_t>[]> entries_;
  alignas(kCacheLine) std::atomic<std::uint64_t> head_ = 0;
  alignas(kCacheLine) std::atomic<std::uint64_t> tail_ = 0;
};

}  // namespace envpool
