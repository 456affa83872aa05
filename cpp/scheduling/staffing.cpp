#include "scheduling/staffing.h"

#include <algorithm>
#include <numeric>

namespace envpool {

int Staffing::HelpersNeeded(const CostCounts& costs, std::size_t mean_step_ns,
                            bool caller_stays) const {
  if (CallerIsAlone()) return 0;
  const auto count = [&costs](Cost cost) { return costs[static_cast<std::size_t>(cost)]; };
  const std::size_t moderate = count(Cost::kModerate);
  const std::size_t heavy = count(Cost::kHeavy) + count(Cost::kUnknown);
  const std::size_t light = count(Cost::kLight) * mean_step_ns / kWorthWakingNs;
  int most = num_threads_;
  std::size_t needed =
      heavy + moderate + std::min(light, static_cast<std::size_t>(MostLightWorkers()));
  if (!caller_works_ || !caller_stays) {
    needed = std::max<std::size_t>(needed, 1);
  } else if (heavy == 0) {
    // The caller is one of num_threads, and more threads than cores only stand in its way.
    most = std::min(most, cores_) - 1;
    if (moderate > 0) --needed;
  }
  return static_cast<int>(std::min(needed, static_cast<std::size_t>(most)));
}

void Staffing::NoteSent(const CostCounts& costs, int helpers) {
  if (caller_works_) return;
  const std::size_t light = costs[static_cast<std::size_t>(Cost::kLight)];
  const bool only_light = light == std::reduce(costs.begin(), costs.end());
  // The number falls only by one and only at some sends: a worker that has nothing to do now may be
  // needed for the next send.
  constexpr int kSendsPerLeave = 8;
  const int now = enough_.load(std::memory_order_relaxed);
  const bool is_time = ++sends_ % kSendsPerLeave == 0;
  const int next =
      std::max({only_light ? helpers : MostLightWorkers(), is_time ? now - 1 : now, 1});
  if (next != now) enough_.store(next);
}

bool Staffing::LeaveIfCrowded() {
  int available = available_.load();
  while (!caller_works_ && available > enough_.load()) {
    if (available_.compare_exchange_weak(available, available - 1)) return true;
  }
  return false;
}

int Staffing::HelpersAfterClaim(Cost cost, std::size_t left, std::size_t mean_step_ns) {
  if (left == 0 || !MayNeedHelp(cost)) return 0;
  if (cost == Cost::kLight && left * mean_step_ns <= kWorthWakingNs) return 0;
  if (caller_works_) return 1;
  const int more = available_.load() + 1;
  if (cost == Cost::kLight && more > enough_.load()) enough_.store(more);
  return more;
}

int Staffing::Invite(int count) {
  const int available = caller_works_ ? 0 : available_.load();
  const int missing = count - available - invitations_.load();
  if (missing <= 0) return 0;
  invitations_.fetch_add(missing);
  return caller_works_ ? invitations_.load() - spinning_.load() : missing;
}

void Staffing::TakeInvitation() {
  int invitations = invitations_.load();
  while (invitations > 0 && !invitations_.compare_exchange_weak(invitations, invitations - 1)) {
  }
}

int Staffing::MostLightWorkers() const { return std::max(std::min(num_threads_, cores_ - 1), 1); }

}  // namespace envpool
