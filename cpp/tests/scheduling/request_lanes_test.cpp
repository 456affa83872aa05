#include "scheduling/request_lanes.h"

#include <gtest/gtest.h>

#include <array>
#include <mutex>
#include <thread>
#include <vector>

namespace envpool {
namespace {

constexpr auto kAnything = [](Cost) { return true; };

auto UpTo(std::size_t light, std::size_t moderate = 1) {
  return [=](Cost cost, std::size_t) {
    return cost == Cost::kLight ? light : cost == Cost::kModerate ? moderate : 1;
  };
}

std::vector<std::uint32_t> Envs(std::span<const Request> requests) {
  std::vector<std::uint32_t> envs;
  for (const Request& request : requests) envs.push_back(request.env);
  return envs;
}

TEST(RequestRing, ClaimsLightRequestsTogetherAndOthersAlone) {
  RequestRing ring(8);
  const Cost costs[] = {Cost::kLight, Cost::kLight, Cost::kModerate, Cost::kLight, Cost::kLight};
  for (std::uint32_t i = 0; i < 5; ++i) ring.Append({i, 10 + i, nullptr, costs[i]});
  std::array<Request, 8> out;
  EXPECT_EQ(ring.Claim(out, kAnything, UpTo(8)), 0U) << "nothing is published yet";
  ring.Publish();
  EXPECT_EQ(ring.Waiting(), 5U);
  EXPECT_EQ(ring.Claim(out, kAnything, UpTo(8)), 2U);
  EXPECT_EQ(Envs({out.data(), 2}), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(out[1].row, 11U);
  EXPECT_EQ(ring.Claim(out, [](Cost cost) { return cost == Cost::kLight; }, UpTo(8)), 0U);
  EXPECT_EQ(ring.Claim(out, kAnything, UpTo(8)), 1U);
  EXPECT_EQ(out[0].cost, Cost::kModerate);
  EXPECT_EQ(ring.Claim(out, kAnything, UpTo(1)), 1U);
  EXPECT_EQ(ring.Claim(out, kAnything, UpTo(8)), 1U);
  EXPECT_EQ(ring.Claim(out, kAnything, UpTo(8)), 0U);
}

TEST(RequestRing, ClaimsUpToTheLimitOfOneCost) {
  RequestRing ring(8);
  const Cost costs[] = {Cost::kModerate, Cost::kModerate, Cost::kModerate, Cost::kHeavy,
                        Cost::kHeavy};
  for (std::uint32_t i = 0; i < 5; ++i) ring.Append({i, i, nullptr, costs[i]});
  ring.Publish();
  std::array<Request, 8> out;
  std::size_t seen = 0;
  const auto limit = [&](Cost, std::size_t waiting) {
    seen = waiting;
    return std::size_t{2};
  };
  EXPECT_EQ(ring.Claim(out, kAnything, limit), 2U);
  EXPECT_EQ(seen, 5U);
  EXPECT_EQ(ring.Claim(out, kAnything, UpTo(8, 8)), 1U);
  EXPECT_EQ(out[0].env, 2U);
  EXPECT_EQ(ring.Claim(out, kAnything, UpTo(8, 8)), 1U);
}

TEST(RequestRing, ClaimsNoMoreThanThereIsRoomFor) {
  RequestRing ring(16);
  for (std::uint32_t i = 0; i < 10; i += 5) ring.Append({i, i, nullptr, Cost::kLight}, 5);
  ring.Append({10, 10, nullptr, Cost::kLight}, 2);
  ring.Publish();
  std::array<Request, 8> out;
  EXPECT_EQ(ring.Claim(out, kAnything, UpTo(12)), 5U);
  EXPECT_EQ(ring.Claim(out, kAnything, UpTo(12)), 7U);
  EXPECT_EQ(ring.Waiting(), 0U);
}

TEST(RequestLanes, EachEnvironmentStaysInItsLane) {
  RequestLanes lanes(8, 2, 2);
  for (std::uint32_t env : {7U, 0U, 4U, 3U}) lanes.Append({env, 0, nullptr, Cost::kLight});
  lanes.Publish();
  std::array<Request, 8> out;
  ASSERT_EQ(lanes.Claim(1, out, kAnything, UpTo(8)), 2U);
  EXPECT_EQ(Envs({out.data(), 2}), (std::vector<std::uint32_t>{7, 4}));
  ASSERT_EQ(lanes.Claim(1, out, kAnything, UpTo(8)), 2U)
      << "an empty lane's thread helps the others";
  EXPECT_EQ(Envs({out.data(), 2}), (std::vector<std::uint32_t>{0, 3}));
}

TEST(RequestLanes, KnowHowFarALaneGoes) {
  const RequestLanes lanes(16, 4, 2);
  EXPECT_EQ(lanes.LeftInLane(2), 2U);
  EXPECT_EQ(lanes.LeftInLane(3), 1U);
  EXPECT_EQ(lanes.LeftInLane(4), 4U);
}

TEST(RequestLanes, OwnersHelpOthersFromTheFarEnd) {
  const auto order = [](std::size_t owner) {
    RequestLanes lanes(8, 8, 2);  // each of two owners has four lanes of one environment
    for (std::uint32_t env = 0; env < 8; ++env) lanes.Append({env, 0, nullptr, Cost::kLight});
    lanes.Publish();
    std::vector<std::uint32_t> envs;
    std::array<Request, 8> out;
    while (lanes.Claim(owner, out, kAnything, UpTo(8)) == 1) envs.push_back(out[0].env);
    return envs;
  };
  EXPECT_EQ(order(0), (std::vector<std::uint32_t>{0, 1, 2, 3, 7, 6, 5, 4}));
  EXPECT_EQ(order(1), (std::vector<std::uint32_t>{4, 5, 6, 7, 3, 2, 1, 0}));
}

TEST(RequestLanes, EachOwnerHasALane) {
  EXPECT_EQ(RequestLanes(8, 2, 3).NumOwners(), 2U);
  EXPECT_EQ(RequestLanes(8, 8, 3).NumOwners(), 3U);
}

TEST(RequestLanes, WhatWasSentFirstIsClaimedFirst) {
  RequestLanes lanes(8, 2, 2);
  std::array<Request, 8> out;
  const auto send = [&lanes](std::uint32_t env) {
    lanes.Append({env, 0, nullptr, Cost::kLight});
    lanes.Publish();
  };
  send(0);
  send(4);
  send(1);
  ASSERT_EQ(lanes.Claim(1, out, kAnything, UpTo(1)), 1U);
  EXPECT_EQ(out[0].env, 0U) << "although lane 1 is the thread's own";
  ASSERT_EQ(lanes.Claim(0, out, kAnything, UpTo(1)), 1U);
  EXPECT_EQ(out[0].env, 4U);
}

TEST(RequestLanes, WhatIsNotWantedStandsInNobodysWay) {
  RequestLanes lanes(16, 4, 2);
  std::array<Request, 8> out;
  const auto send = [&lanes](std::uint32_t env, Cost cost) {
    lanes.Append({env, 0, nullptr, cost});
    lanes.Publish();
  };
  send(8, Cost::kHeavy);
  send(4, Cost::kLight);
  send(0, Cost::kLight);
  const auto light = [](Cost cost) { return cost == Cost::kLight; };
  std::vector<std::uint32_t> envs;
  while (lanes.Claim(0, out, light, UpTo(8)) == 1) envs.push_back(out[0].env);
  EXPECT_EQ(envs, (std::vector<std::uint32_t>{4, 0})) << "of what is wanted, the oldest first";
  ASSERT_EQ(lanes.Claim(0, out, kAnything, UpTo(8)), 1U);
  EXPECT_EQ(out[0].env, 8U);
}

// Producers push each environment whenever it is idle, consumers claim and release it. An
// environment that is claimed twice at a time, or lost, or torn, is found out.
TEST(RequestLanes, ManyProducersAndConsumersLoseNothing) {
  constexpr std::uint32_t kEnvs = 50;
  constexpr int kProducers = 3;
  constexpr int kRequests = 20000;  // at least, of each producer
  RequestLanes lanes(kEnvs, 6, 3);
  std::mutex producer_mutex;
  std::array<std::atomic<int>, kEnvs> in_flight{};
  std::array<std::atomic<std::uint32_t>, kEnvs> expected_row{};
  std::atomic<std::uint64_t> claimed = 0;
  std::atomic<std::uint64_t> pushed_sum = 0;
  std::atomic<std::uint64_t> claimed_sum = 0;
  std::atomic<int> producing = kProducers;

  const auto produce = [&](std::uint32_t seed) {
    for (int left = kRequests; left > 0; std::this_thread::yield()) {
      const std::lock_guard lock(producer_mutex);
      for (int run = 0; run < 4; ++run) {
        seed = seed * 1664525 + 1013904223;
        const std::uint32_t first_row = seed >> 3;
        const Cost cost = seed & 64 ? Cost::kLight : Cost::kModerate;
        const std::uint32_t env = (seed >> 8) % kEnvs;
        const std::size_t longest = std::min<std::size_t>({4, lanes.LeftInLane(env), kEnvs - env});
        std::uint32_t length = 0;  // of those that are idle
        for (; length < longest; ++length, --left) {
          auto& is_busy = in_flight[env + length];
          if (is_busy.load(std::memory_order_acquire) != 0) break;
          is_busy.store(1, std::memory_order_relaxed);
          expected_row[env + length].store(first_row + length, std::memory_order_relaxed);
          pushed_sum.fetch_add(first_row + length);
        }
        if (length > 0) lanes.Append({env, first_row, nullptr, cost}, length);
      }
      lanes.Publish();
    }
    producing.fetch_sub(1);
  };
  const auto consume = [&](std::size_t thread) {
    std::array<Request, 8> out;
    while (producing.load() > 0 || lanes.Waiting() > 0) {
      const std::size_t count = lanes.Claim(thread % lanes.NumOwners(), out, kAnything, UpTo(8));
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(expected_row[out[i].env].load(std::memory_order_relaxed), out[i].row);
        ASSERT_EQ(in_flight[out[i].env].exchange(2), 1) << "claimed twice";
        claimed_sum.fetch_add(out[i].row);
        claimed.fetch_add(1);
        in_flight[out[i].env].store(0, std::memory_order_release);
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < kProducers; ++i)
    threads.emplace_back([&produce, i] { produce(i); });
  for (std::size_t i = 0; i < 4; ++i) threads.emplace_back([&consume, i] { consume(i); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(claimed.load(), std::uint64_t{kProducers * kRequests});
  EXPECT_EQ(pushed_sum.load(), claimed_sum.load());
}

}  // namespace
}  // namespace envpool
