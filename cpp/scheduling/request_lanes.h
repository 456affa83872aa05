// RequestLanes: the pool's queue, as a few rings so that environments stay with their threads.
//
// An environment always waits in the same lane, and a lane has one owner among the threads, who
// takes from it before it takes from others. So the state of thousands of light environments stays
// in the caches of one core, which matters more than anything else once a step takes less time than
// moving a cache line. A thread that helps another begins with the lane that its owner comes to
// last: then it is always the same few environments that change hands.
//
// Whatever the lane, what was sent first is claimed first. Otherwise the environments of a thread
// that has more to do than another would fall behind in an asynchronous pool.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "scheduling/request.h"
#include "threads/machine.h"

namespace envpool {

// A bounded queue of environments that wait for a worker.
//
// One producer at a time (the pool serialises its callers) appends requests and publishes them in
// bulk; any number of workers claim a few at a time from the front, lock-free.
//
//   Append, Publish: write the entries, then show them all by moving the tail. Environments that
//          follow each other, with rows that do, are one entry, a run, at the first one's place:
//          the fewer lines of the cache are moved from the producer's core to a worker's.
//   Claim: read the head, read as many runs as are wanted, then take them by moving the head with
//          one compare-and-swap. If the entries were overwritten in between, the head has
//          moved too, so the swap fails and the values read are thrown away. (Positions are 64-bit
//          and never wrap.) Entries are stored with release and loaded with acquire: a worker
//          that reads an overwritten one then sees that the head has moved, also if it does not
//          swap, but only compares it.
//
// An environment has at most one request in flight and the capacity is at least the number of
// environments, so unclaimed entries are never overwritten.
class RequestRing {
 public:
  static constexpr std::uint64_t kNoSend = std::numeric_limits<std::uint64_t>::max();

  explicit RequestRing(std::size_t capacity)
      : mask_(std::bit_ceil(capacity) - 1), entries_(std::make_unique<Entry[]>(mask_ + 1)) {}

  // What PeekFirst tells of a request.
  struct First {
    std::uint64_t send = kNoSend;
    Cost cost = Cost::kUnknown;
  };

  // Appends a run, given by its first request; `send` counts what was sent before it. Only one
  // thread at a time; nobody sees it before Publish.
  void Append(const Request& first, std::size_t length = 1, std::uint64_t send = 0) {
    Entry& entry = entries_[appended_ & mask_];
    entry.numbers.store(
        std::uint64_t{first.row} << 32 | first.env << 2 | static_cast<std::uint64_t>(first.cost),
        std::memory_order_release);
    entry.batch.store(first.batch, std::memory_order_release);
    entry.length.store(length, std::memory_order_release);
    entry.send.store(send, std::memory_order_release);
    appended_ += length;
  }

  // Sequentially consistent, because a worker that is about to park re-reads it (see Gate).
  void Publish() {
    if (tail_.load(std::memory_order_relaxed) != appended_) tail_.store(appended_);
  }

  // Returns the first request that waits; its send is kNoSend if none does. If other threads claim
  // meanwhile, this may be an earlier or a later request.
  First PeekFirst() const {
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    if (head >= tail_.load()) return {};
    const Run run = Read(head);
    return {run.send, run.request.cost};
  }

  // Takes requests from the front into `out`, which has room for the longest run, and returns how
  // many: none when there are none or the first is not wanted(cost); else up to limit(cost, how
  // many there are) of the same cost, or the first run if that is longer.
  template <class Wanted, class Limit>
  std::size_t Claim(std::span<Request> out, Wanted wanted, Limit limit) {
    std::uint64_t head = head_.load(std::memory_order_acquire);
    while (true) {
      const std::uint64_t tail = tail_.load();
      if (head >= tail) return 0;
      const std::size_t waiting = tail - head;
      const Run first = Read(head);
      const Cost cost = first.request.cost;
      const std::size_t most = std::min({limit(cost, waiting), out.size(), waiting});
      // A run that was overwritten meanwhile may have any length.
      std::size_t count = Expand(first, out.first(std::min(out.size(), waiting)));
      while (0 < count && count < most) {
        const Run next = Read(head + count);
        if (next.request.cost != cost) break;
        const std::size_t more = Expand(next, out.subspan(count, most - count));
        if (more == 0) break;
        count += more;
      }
      if (!wanted(cost) || count == 0) {
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
    std::atomic<std::size_t> length;
    std::atomic<std::uint64_t> send;
  };

  // Requests for environments that follow each other.
  struct Run {
    Request request;  // the first one
    std::size_t length;
    std::uint64_t send;
  };

  Run Read(std::uint64_t position) const {
    const Entry& entry = entries_[position & mask_];
    const std::uint64_t numbers = entry.numbers.load(std::memory_order_acquire);
    const auto low = static_cast<std::uint32_t>(numbers);
    return {{low >> 2, static_cast<std::uint32_t>(numbers >> 32),
             entry.batch.load(std::memory_order_acquire), static_cast<Cost>(low & 3)},
            entry.length.load(std::memory_order_acquire),
            entry.send.load(std::memory_order_acquire)};
  }

  // Writes the requests of a run, and returns how many: none if there is no room for all of them.
  static std::size_t Expand(const Run& run, std::span<Request> out) {
    if (run.length > out.size()) return 0;
    for (std::uint32_t i = 0; i < run.length; ++i) {
      const auto& [env, row, batch, cost] = run.request;
      out[i] = {env + i, row + i, batch, cost};
    }
    return run.length;
  }

  const std::uint64_t mask_;
  const std::unique_ptr<Entry[]> entries_;
  alignas(kCacheLine) std::uint64_t appended_ = 0;  // of the producer: what Publish makes the tail
  alignas(kCacheLine) std::atomic<std::uint64_t> head_ = 0;
  alignas(kCacheLine) std::atomic<std::uint64_t> tail_ = 0;
};
// What the producer writes, the head, which all workers move, and the tail, which they watch, each
// have a line.
static_assert(alignof(RequestRing) == kCacheLine && sizeof(RequestRing) == 4 * kCacheLine);

class RequestLanes {
 public:
  // Makes up to `num_lanes` lanes for up to `num_owners` owners, at least one for each.
  // Environments are split among the lanes by id.
  RequestLanes(std::size_t num_envs, std::size_t num_lanes, std::size_t num_owners)
      : shift_(std::bit_width((num_envs + num_lanes - 1) / num_lanes - 1)) {
    while (lanes_.size() << shift_ < num_envs) {
      lanes_.push_back(std::make_unique<RequestRing>(std::size_t{1} << shift_));
    }
    num_owners_ = std::min(num_owners, lanes_.size());
  }

  std::size_t NumOwners() const { return num_owners_; }

  // How many environments there are from this one to the end of its lane.
  std::size_t LeftInLane(std::uint32_t env) const {
    return (std::size_t{1} << shift_) - (env & ((1U << shift_) - 1));
  }

  // Appends a run of one lane. Only one thread at a time; see RequestRing.
  void Append(const Request& first, std::size_t length = 1) {
    lanes_[first.env >> shift_]->Append(first, length, num_sends_);
  }
  void Publish() {
    for (const auto& lane : lanes_) lane->Publish();
    ++num_sends_;
  }

  // Like RequestRing::Claim, from the lane that comes first for this owner of those whose requests
  // were sent first.
  template <class Wanted, class Limit>
  std::size_t Claim(std::size_t owner, std::span<Request> out, Wanted wanted, Limit limit) {
    const std::size_t begin = owner * lanes_.size() / num_owners_;
    const std::size_t num_own = (owner + 1) * lanes_.size() / num_owners_ - begin;
    // Its own lanes forwards, then backwards through the others.
    const auto lane_of = [&](std::size_t i) -> RequestRing& {
      return *lanes_[(i < num_own ? begin + i : begin + num_own + lanes_.size() - 1 - i) %
                     lanes_.size()];
    };
    const auto claim = [&](std::size_t num_lanes, std::uint64_t last_send) -> std::size_t {
      for (std::size_t i = 0; i < num_lanes; ++i) {
        RequestRing& lane = lane_of(i);
        if (lane.PeekFirst().send > last_send) continue;
        if (const std::size_t count = lane.Claim(out, wanted, limit)) return count;
      }
      return 0;
    };
    // The others' lanes are in the caches of other cores: they are not looked at before its own
    // have nothing that is known to be old enough.
    std::size_t count = claim(num_own, oldest_send_.load(std::memory_order_relaxed));
    while (count == 0) {
      const std::uint64_t send = FindOldestSend(wanted);
      count = claim(lanes_.size(), send);
      if (send == RequestRing::kNoSend) break;  // only now is it certain that nothing is wanted
    }
    return count;
  }

  std::size_t Waiting() const {
    std::size_t waiting = 0;
    for (const auto& lane : lanes_) waiting += lane->Waiting();
    return waiting;
  }

  // Only while no other thread uses the lanes.
  void Clear() {
    for (const auto& lane : lanes_) lane->Clear();
  }

 private:
  // Returns the oldest send of which a request waits that is wanted; kNoSend if none does.
  template <class Wanted>
  std::uint64_t FindOldestSend(Wanted wanted) {
    std::uint64_t oldest = RequestRing::kNoSend;
    std::uint64_t oldest_wanted = RequestRing::kNoSend;
    for (const auto& lane : lanes_) {
      const RequestRing::First first = lane->PeekFirst();
      oldest = std::min(oldest, first.send);
      if (wanted(first.cost)) oldest_wanted = std::min(oldest_wanted, first.send);
    }
    // Written only when it changes, because all threads read it for each claim.
    if (oldest != RequestRing::kNoSend && oldest_send_.load(std::memory_order_relaxed) != oldest) {
      oldest_send_.store(oldest, std::memory_order_relaxed);
    }
    return oldest_wanted;
  }

  const int shift_;  // a lane has 2^shift_ environments: dividing by any other number takes longer
  std::size_t num_owners_;
  std::vector<std::unique_ptr<RequestRing>> lanes_;
  alignas(kCacheLine) std::uint64_t num_sends_ = 0;  // of the producer
  // A hint, as somebody last saw it. If it is too low, all lanes are looked at once more; if it is
  // too high, something is claimed too early, of what was sent before it was seen.
  alignas(kCacheLine) std::atomic<std::uint64_t> oldest_send_ = 0;
};

}  // namespace envpool
