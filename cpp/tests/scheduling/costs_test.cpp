// What a step of an environment is taken to cost.
#include "scheduling/costs.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace envpool {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// A claim of requests of these environments, all with the cost of the first one.
std::vector<Request> Claim(const Costs& costs, const std::vector<std::uint32_t>& envs) {
  std::vector<Request> requests;
  for (const std::uint32_t env : envs) requests.push_back({env, 0, nullptr, costs.Of(envs[0])});
  return requests;
}

// A claim of these environments took so long, which was all their own.
void Record(Costs& costs, const std::vector<std::uint32_t>& envs, nanoseconds time, int steps = 1) {
  costs.Record(Claim(costs, envs), time, {.steps = steps, .environments = time});
}

void RecordStep(Costs& costs, std::uint32_t env, nanoseconds time) { Record(costs, {env}, time); }

TEST(Cost, IsUnknownUntilAStepWasMeasured) {
  Costs costs(2);
  EXPECT_EQ(costs.Of(1), Cost::kUnknown);
  Record(costs, {1}, nanoseconds(10), 0);
  EXPECT_EQ(costs.Of(1), Cost::kUnknown) << "that a reset is quick says nothing of steps";
  RecordStep(costs, 1, nanoseconds(10));
  EXPECT_EQ(costs.Of(1), Cost::kLight);
  EXPECT_EQ(costs.Of(0), Cost::kUnknown);
}

TEST(Cost, FollowsTheTimeOfAStep) {
  Costs costs(1);
  const std::pair<nanoseconds, Cost> steps[] = {
      {nanoseconds(1000), Cost::kModerate},       {nanoseconds(999), Cost::kLight},
      {nanoseconds(49'999), Cost::kLight},        {microseconds(50), Cost::kModerate},
      {nanoseconds(19'999'999), Cost::kModerate}, {milliseconds(20), Cost::kHeavy},
      {microseconds(5), Cost::kModerate},
  };
  for (const auto& [time, cost] : steps) {
    RecordStep(costs, 0, time);
    EXPECT_EQ(costs.Of(0), cost) << time.count();
  }
}

TEST(Cost, OfAResetThatTakesLongIsHeavy) {
  Costs costs(1);
  Record(costs, {0}, milliseconds(20), 0);
  EXPECT_EQ(costs.Of(0), Cost::kHeavy);
  Record(costs, {0}, nanoseconds(1), 0);
  EXPECT_EQ(costs.Of(0), Cost::kHeavy) << "only a step shows something else";
}

// Where many threads write results, each waits for the others' lines of the cache. If that counted,
// environments would be claimed one by one, for which threads wait for each other still longer.
TEST(Cost, IsTheEnvironmentsOwn) {
  Costs costs(2);
  costs.Record(Claim(costs, {0}), microseconds(9), {.steps = 1, .environments = nanoseconds(300)});
  EXPECT_EQ(costs.Of(0), Cost::kLight);
  costs.Record(Claim(costs, {1}), microseconds(9), {.steps = 1, .environments = microseconds(1)});
  EXPECT_EQ(costs.Of(1), Cost::kModerate);
  costs.Record(Claim(costs, {0}), microseconds(9), {.steps = 1, .environments = nanoseconds(200)});
  EXPECT_EQ(costs.MeanStepNs(), 900U);
  costs.Record(Claim(costs, {0}), microseconds(9), {.steps = 1});
  EXPECT_EQ(costs.MeanStepNs(), 900U) << "of this claim it was not measured";
}

TEST(Cost, OfLightStepsIsMeasuredNowAndThen) {
  ThreadCounters counters;
  int measured = 0;
  for (int claim = 0; claim < 160; ++claim) {
    measured += Costs::IsMeasured(Cost::kLight, counters);
    EXPECT_TRUE(Costs::IsMeasured(Cost::kUnknown, counters));
    counters.BeginWork(Clock::now());
    counters.EndWork(Clock::now(), 1, 0);
  }
  EXPECT_EQ(measured, 10);
}

// All environments of a claim that took long are suspects.
TEST(Probation, LastsAHundredQuickSteps) {
  Costs costs(3);
  for (const std::uint32_t env : {0, 1, 2}) RecordStep(costs, env, nanoseconds(100));
  Record(costs, {0, 2}, microseconds(50));
  EXPECT_EQ(costs.Of(0), Cost::kModerate);
  EXPECT_EQ(costs.Of(1), Cost::kLight);
  EXPECT_EQ(costs.Of(2), Cost::kModerate);
  for (int step = 0; step < 100; ++step) {
    RecordStep(costs, 0, nanoseconds(100));
    EXPECT_EQ(costs.Of(0), Cost::kModerate) << step;
    RecordStep(costs, 0, nanoseconds(2000));  // a moderate one does not count
  }
  RecordStep(costs, 0, nanoseconds(100));
  EXPECT_EQ(costs.Of(0), Cost::kLight);
  EXPECT_EQ(costs.Of(2), Cost::kModerate);
}

TEST(Probation, EndsWithTheEnvironment) {
  Costs costs(1);
  RecordStep(costs, 0, nanoseconds(100));
  Record(costs, {0}, microseconds(50));
  costs.Forget(0);
  EXPECT_EQ(costs.Of(0), Cost::kUnknown);
  RecordStep(costs, 0, nanoseconds(100));
  EXPECT_EQ(costs.Of(0), Cost::kLight);
}

// Four microseconds of work, as the last light claims went.
TEST(ClaimLimit, FollowsTheMeanOfLightSteps) {
  Costs costs(8);
  EXPECT_EQ(costs.MeanStepNs(), 1000U);
  EXPECT_EQ(costs.ClaimLimit(), 4U);
  for (std::uint32_t env = 0; env < 8; ++env) RecordStep(costs, env, nanoseconds(100));
  EXPECT_EQ(costs.MeanStepNs(), 1000U) << "only claims of light requests count";
  Record(costs, {0, 1}, nanoseconds(400));
  EXPECT_EQ(costs.MeanStepNs(), 900U);
  for (int i = 0; i < 100; ++i) Record(costs, {0, 1}, nanoseconds(80));
  EXPECT_LE(costs.MeanStepNs(), 50U);
  EXPECT_GE(costs.ClaimLimit(), 80U);
  for (int i = 0; i < 100; ++i) Record(costs, {0, 1}, nanoseconds(0));
  EXPECT_GE(costs.MeanStepNs(), 1U);
}

TEST(ClaimLimit, IsAtLeastOne) {
  Costs costs(1);
  for (int i = 0; i < 100; ++i) {
    const Request request{0, 0, nullptr, Cost::kLight};
    costs.Record({&request, 1}, milliseconds(1), {.steps = 1, .environments = milliseconds(1)});
  }
  EXPECT_EQ(costs.MeanStepNs(), 100'000U) << "one slow claim does not count for more";
  EXPECT_EQ(costs.ClaimLimit(), 1U);
}

}  // namespace
}  // namespace envpool
