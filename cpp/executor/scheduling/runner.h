// Runner: what a scheduler's threads do with the requests that they claimed.
#pragma once

#include <span>

#include "executor/scheduling/request.h"
#include "executor/threads/clock.h"

namespace envpool {

class Runner {
 public:
  // What requests turned out to be.
  struct Tally {
    int steps = 0;
    int episodes = 0;  // that ended
  };

  // Runs the environments and writes their results. Called by any number of threads at a time, for
  // different environments. Must not throw: what fails becomes a result.
  virtual Tally Run(std::span<Request> requests) = 0;

  // Hands the results over, which were complete at `now`. From here on the environments belong to
  // the callers again.
  virtual void Publish(std::span<const Request> requests, Clock::time_point now) = 0;

 protected:
  ~Runner() = default;
};

}  // namespace envpool
