#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "recording/journal.h"

namespace envpool {
namespace {

using Ints = std::vector<std::int32_t>;

Ints IdsBelow(int count) {
  Ints ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

Ints Count(KeyFrames& frames, const Ints& ids, bool are_all = false) {
  const auto due = frames.CountSteps(ids, are_all);
  return {due.begin(), due.end()};
}

// Steps all environments and settles what is due. Returns before which steps, of each.
std::map<std::int32_t, Ints> DueSteps(KeyFrames& frames, int num_envs, int steps) {
  const Ints ids = IdsBelow(num_envs);
  std::map<std::int32_t, Ints> due;
  for (int step = 0; step < steps; ++step) {
    const bool says_so = step % 2 == 0;  // which must make no difference
    for (const std::int32_t id : Count(frames, ids, says_so)) {
      due[id].push_back(step);
      frames.Settle(id);
    }
  }
  return due;
}

TEST(KeyFrames, AreNeverFurtherAwayThanTheySay) {
  for (const int num_envs : {1, 2, 7, 100}) {
    KeyFrames frames(static_cast<std::size_t>(num_envs));
    const auto due = DueSteps(frames, num_envs, 3 * kKeyFrameSteps);
    ASSERT_EQ(due.size(), static_cast<std::size_t>(num_envs));
    for (const auto& [id, steps] : due) {
      EXPECT_LE(steps[0], kKeyFrameSteps);
      EXPECT_GE(steps.size(), 2U);
      for (std::size_t i = 1; i < steps.size(); ++i) {
        EXPECT_EQ(steps[i] - steps[i - 1], kKeyFrameSteps + 1) << id;
      }
    }
  }
}

TEST(KeyFrames, AreNotAllDueInTheSameStep) {
  KeyFrames frames(100);
  Ints first;
  for (const auto& [id, steps] : DueSteps(frames, 100, kKeyFrameSteps + 1)) {
    first.push_back(steps[0]);
  }
  std::ranges::sort(first);
  EXPECT_EQ(first.size(), 100U);
  EXPECT_EQ(std::ranges::adjacent_find(first), first.end());
  EXPECT_GT(first[0], 0) << "a first step is like any other";
}

TEST(KeyFrames, OfMoreEnvironmentsThanStepsAreSpreadAsWell) {
  constexpr int kMany = 3 * kKeyFrameSteps;
  KeyFrames frames(kMany);
  std::size_t most = 0;
  const Ints ids = IdsBelow(kMany);
  for (int step = 0; step < 100; ++step) {
    const Ints due = Count(frames, ids);
    most = std::max(most, due.size());
    for (const std::int32_t id : due) frames.Settle(id);
  }
  EXPECT_LE(most, 3U);
}

TEST(KeyFrames, AreDueAtOnceOfWhatWasPutSomewhere) {
  KeyFrames frames(3);
  EXPECT_FALSE(frames.HasBeenPut(1));
  frames.WasPut(1);
  EXPECT_TRUE(frames.HasBeenPut(1));
  EXPECT_EQ(Count(frames, {0, 2}), Ints{}) << "it is not stepped";
  EXPECT_EQ(Count(frames, {2, 1}), Ints{1});
  EXPECT_EQ(Count(frames, {0, 1, 2}), Ints{1}) << "it was not saved";
  frames.Settle(1);
  EXPECT_FALSE(frames.HasBeenPut(1));
  EXPECT_EQ(Count(frames, {0, 1, 2}), Ints{});
  EXPECT_EQ(Count(frames, {}), Ints{});
}

}  // namespace
}  // namespace envpool
