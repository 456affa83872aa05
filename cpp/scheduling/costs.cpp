#include "scheduling/costs.h"

#include <algorithm>
#include <cstdlib>

namespace envpool {

namespace {

constexpr std::int64_t kSurprise = 4;  // times the limit of a light step: not so light
// Shorter claims hold nobody back, and may have waited for other cores' lines of the cache.
constexpr std::int64_t kLongClaimNs = 50'000;
constexpr std::int64_t kHeavyNs = 20'000'000;  // per step, for Cost::kHeavy
constexpr std::uint8_t kProbation = 100;       // steps on its own after it was in such a claim
constexpr std::uint32_t kClaimNs = 4000;       // work worth claiming at once

}  // namespace

std::size_t Costs::ClaimLimit() const { return std::max(kClaimNs / MeanStepNs(), 1U); }

void Costs::Record(std::span<const Request> requests, Duration time, const Runner::Tally& done) {
  const auto count = static_cast<std::int64_t>(requests.size());
  const std::int64_t environments_ns = done.environments.value_or(time).count() / count;
  if (requests[0].cost != Cost::kLight) {
    for (const Request& request : requests) {
      RecordStep(request.env, environments_ns, done.steps > 0);
    }
    return;
  }
  if (done.environments) RecordLightStep(environments_ns);
  if (time.count() < std::max(kSurprise * light_ns_ * count, kLongClaimNs)) return;
  // Somebody among them is slow now and then, and held the others back. For a while, each runs and
  // is measured on its own.
  for (const Request& request : requests) {
    costs_[request.env] = Cost::kModerate;
    probation_[request.env] = kProbation;
  }
}

// What a request took whose environment was not known as light.
void Costs::RecordStep(std::size_t env, std::int64_t ns, bool was_step) {
  if (ns >= kHeavyNs) {
    costs_[env] = Cost::kHeavy;
  } else if (!was_step) {
    return;
  } else if (ns >= light_ns_) {
    costs_[env] = Cost::kModerate;
  } else {
    costs_[env] = probation_[env] > 0 ? Cost::kModerate : Cost::kLight;
    probation_[env] -= probation_[env] > 0;
  }
}

void Costs::RecordLightStep(std::int64_t ns) {
  const std::int64_t old = MeanStepNs();
  // A mean that hardly changes is not written: all threads read it for each claim, and a write
  // would take it out of their caches.
  if (std::abs(ns - old) <= old / 8) return;
  const std::int64_t smoothed = std::clamp<std::int64_t>(old + (ns - old) / 8, 1, 100'000);
  mean_step_ns_.store(static_cast<std::uint32_t>(smoothed), std::memory_order_relaxed);
}

void Costs::Forget(std::size_t env) {
  costs_[env] = Cost::kUnknown;
  probation_[env] = 0;
}

}  // namespace envpool
