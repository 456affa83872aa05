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
#include <memory>
#include <span>
#include <vector>

#include "scheduling/request_ring.h"
#include "threads/machine.h"

namespace envpool {

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
