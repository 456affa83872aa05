// RequestLanes: the pool's queue, as a few rings so that environments stay with their threads.
//
// An environment always waits in the same lane, and each thread takes from a lane of its own before
// it takes from others. So the state of thousands of light environments stays in the caches of one
// core, which matters more than anything else once a step takes less time than moving a cache line.
#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "executor/scheduling/request_ring.h"

namespace envpool {

class RequestLanes {
 public:
  // Makes up to `num_lanes` lanes; environments are split among them by id.
  RequestLanes(std::size_t num_envs, std::size_t num_lanes)
      : shift_(std::bit_width((num_envs + num_lanes - 1) / num_lanes - 1)) {
    while (lanes_.size() << shift_ < num_envs) {
      lanes_.push_back(std::make_unique<RequestRing>(std::size_t{1} << shift_));
    }
  }

  std::size_t NumLanes() const { return lanes_.size(); }

  // Only one thread at a time; see RequestRing.
  void Append(const Request& request, std::size_t longest = 1) {
    lanes_[request.env >> shift_]->Append(request, longest);
  }
  void Publish() {
    for (const auto& lane : lanes_) lane->Publish();
  }

  // Like RequestRing::Claim, from the lane `preferred` or the first one after it that has requests.
  template <class Wanted, class Limit>
  std::size_t Claim(std::size_t preferred, std::span<Request> out, Wanted wanted, Limit limit) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      RequestRing& lane = *lanes_[(preferred + i) % lanes_.size()];
      if (const std::size_t count = lane.Claim(out, wanted, limit)) return count;
    }
    return 0;
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
  const int shift_;  // a lane has 2^shift_ environments: dividing by any other number takes longer
  std::vector<std::unique_ptr<RequestRing>> lanes_;
};

}  // namespace envpool
