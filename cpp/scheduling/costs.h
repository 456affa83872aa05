// Costs: what a step of each environment takes, as its last requests showed.
//
// Costs decide how the next requests of an environment are scheduled, never what they compute.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scheduling/request.h"
#include "scheduling/statistics.h"
#include "threads/machine.h"

namespace envpool {

class Costs {
 public:
  static constexpr Duration kLightStep = std::chrono::microseconds(1);

  // A step is light if it takes less than `light_step`.
  explicit Costs(std::size_t num_envs, Duration light_step = kLightStep)
      : light_ns_(light_step.count()), costs_(num_envs, Cost::kUnknown), probation_(num_envs) {}

  Cost Of(std::size_t env) const { return costs_[env]; }

  // Returns what a step of a light request costs in the mean.
  std::uint32_t MeanStepNs() const { return mean_step_ns_.load(std::memory_order_relaxed); }

  // How many light requests to claim at once: a few microseconds of work.
  std::size_t ClaimLimit() const;

  // True if what the environments of a thread's next claim take is to be measured. The clock costs
  // as much as a light step, so of claims of these only one in some is.
  static bool IsMeasured(Cost cost, const ThreadCounters& counters) {
    return cost != Cost::kLight || counters.Claims() % kClaimsPerMeasurement == 0;
  }

  // After a claim's requests have run, by the thread that ran them and before anybody gets their
  // results. `time` is what all of it took.
  void Record(std::span<const Request> requests, Duration time, const Runner::Tally& done);

  // Forgets what an environment costs, which is another one now. Not while it is running.
  void Forget(std::size_t env);

 private:
  static constexpr std::int64_t kClaimsPerMeasurement = 16;

  void RecordStep(std::size_t env, std::int64_t ns, bool was_step);
  void RecordLightStep(std::int64_t ns);

  const std::int64_t light_ns_;
  // Written by workers when something changes, read by callers between requests.
  std::vector<Cost> costs_;
  std::vector<std::uint8_t> probation_;  // quick steps still to go until it counts as light again
  alignas(kCacheLine) std::atomic<std::uint32_t> mean_step_ns_ = 1000;
};
static_assert(alignof(Costs) == kCacheLine);

}  // namespace envpool
