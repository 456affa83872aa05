// RequestLanes: the pool's queue, as a few rings so that environments stay with their threads.
//
// An environment always waits in the same lane, and each thread takes from a lane of its own before
// it takes from others. So the state of thousands of light environments stays in the caches of one
// core, which matters more than anything else once a step takes less time than moving a cache line.
#pragma once

#include <cstddef>
#include <deque>
#include <span>

#include "executor/request_ring.h"

namespace envpool {

class RequestLanes {
 public:
  RequestLanes(std::size_t num_envs, std::size_t num_lanes)
      : envs_per_lane_((num_envs + num_lanes - 1) / num_lanes) {
    for (std::size_t i = 0; i < num_lanes; ++i) lanes_.emplace_back(envs_per_lane_);
  }

  std::size_t NumLanes() const { return lanes_.size(); }

  // Only one thread at a time.
  void Append(const Request& request) { lanes_[request.env / envs_per_lane_].Append(request); }
  void Publish() {
    for (RequestRing& lane : lanes_) lane.Publish();
  }

  // Like RequestRing::Claim, from the lane `preferred` or the first one after it that has requests.
  template <class Wanted>
  std::size_t Claim(std::size_t preferred, std::span<Request> out, Wanted wanted,
                    std::size_t limit) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      RequestRing& lane = lanes_[(preferred + i) % lanes_.size()];
      if (const std::size_t count = lane.Claim(out, wanted, limit)) return count;
    }
    return 0;
  }

  std::size_t Waiting() const {
    std::size_t waiting = 0;
    for (const RequestRing& lane : lanes_) waiting += lane.Waiting();
    return waiting;
  }

  // Only while no other thread uses the lanes.
  void Clear() {
    for (RequestRing& lane : lanes_) lane.Clear();
  }

 private:
  const std::size_t envs_per_lane_;
  std::deque<RequestRing> lanes_;
};

}  // namespace envpool
