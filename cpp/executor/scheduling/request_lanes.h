// RequestLanes: the pool's queue, as a few rings so that environments stay with their threads.
//
// An environment always waits in the same lane, and each thread has lanes of its own, which come
// first for it. So the state of thousands of light environments stays in the caches of one core,
// which matters more than anything else once a step takes less time than moving a cache line. A
// thread that helps others begins with the lanes that they come to last: then it is always the same
// few environments that change hands.
//
// Whatever the lane, what was sent first is run first. Otherwise the environments of a thread that
// has more to do than another would fall behind in an asynchronous pool.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "executor/scheduling/request_ring.h"
#include "executor/threads/machine.h"

namespace envpool {

class RequestLanes {
 public:
  // Makes up to `num_lanes` lanes; environments are split among them by id, and they among threads.
  RequestLanes(std::size_t num_envs, std::size_t num_lanes, std::size_t num_threads)
      : shift_(std::bit_width((num_envs + num_lanes - 1) / num_lanes - 1)),
        num_threads_(num_threads) {
    while (lanes_.size() << shift_ < num_envs) {
      lanes_.push_back(std::make_unique<RequestRing>(std::size_t{1} << shift_));
    }
  }

  std::size_t NumThreads() const { return num_threads_; }

  // Appends a run, or its parts where it goes on in the next lane. Only one thread at a time; see
  // RequestRing.
  void Append(Request first, std::size_t length = 1) {
    while (true) {
      const std::size_t lane = first.env >> shift_;
      const auto count =
          static_cast<std::uint32_t>(std::min(length, ((lane + 1) << shift_) - first.env));
      lanes_[lane]->Append(first, count, num_sends_);
      length -= count;
      if (length == 0) return;
      first.env += count;
      first.row += count;
    }
  }
  void Publish() {
    for (const auto& lane : lanes_) lane->Publish();
    ++num_sends_;
  }

  // Like RequestRing::Claim, for one of the threads, from the lane that comes first for it of those
  // whose turn it is; or else, if the requests there are not wanted, of all.
  template <class Wanted, class Limit>
  std::size_t Claim(std::size_t thread, std::span<Request> out, Wanted wanted, Limit limit) {
    const std::size_t begin = thread * lanes_.size() / num_threads_;
    const std::size_t end = std::max((thread + 1) * lanes_.size() / num_threads_, begin + 1);
    const auto claim = [&](std::size_t num_lanes, std::uint64_t turn) -> std::size_t {
      for (std::size_t i = 0; i < num_lanes; ++i) {
        // First its own lanes, forwards; then backwards through the others.
        const bool is_own = i < end - begin;
        RequestRing& lane =
            *lanes_[(is_own ? begin + i : end + lanes_.size() - 1 - i) % lanes_.size()];
        if (lane.FirstTurn() > turn) continue;
        if (const std::size_t count = lane.Claim(out, wanted, limit)) return count;
      }
      return 0;
    };
    // What the others' lanes have is in the caches of other cores, so it is looked at last.
    if (const std::size_t count = claim(end - begin, turn_.load(std::memory_order_relaxed))) {
      return count;
    }
    const std::uint64_t turn = FirstTurn();
    if (turn == RequestRing::kNoTurn) return 0;
    turn_.store(turn, std::memory_order_relaxed);
    const std::size_t count = claim(lanes_.size(), turn);
    return count > 0 ? count : claim(lanes_.size(), RequestRing::kNoTurn);
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
  std::uint64_t FirstTurn() const {
    std::uint64_t first = RequestRing::kNoTurn;
    for (const auto& lane : lanes_) first = std::min(first, lane->FirstTurn());
    return first;
  }

  const int shift_;  // a lane has 2^shift_ environments: dividing by any other number takes longer
  const std::size_t num_threads_;
  std::vector<std::unique_ptr<RequestRing>> lanes_;
  alignas(kCacheLine) std::uint64_t num_sends_ = 0;  // of the producer: the turn of what comes next
  // Whose turn it was when a thread last looked: no request that waits came earlier.
  alignas(kCacheLine) std::atomic<std::uint64_t> turn_ = 0;
};

}  // namespace envpool
