// What a pool promises, with workers that are threads: so the sanitizers see all of it.
#include "workers/process_pool.h"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "tests/workers/pool_fixture.h"

namespace envpool {
namespace {

using Ids = std::vector<std::int32_t>;

TEST(ProcessPool, FailuresAreOfTheirEnvironments) {
  for (const int batch_size : {4, 2}) {
    Served pool(MakeConfig(4, batch_size, 2));
    const auto receive_all = [&] {
      std::vector<EnvError> errors;
      std::size_t rows = 0;
      for (int i = 0; i < 4 / batch_size; ++i) {
        const auto delivery = pool->Receive(std::nullopt, DontInterrupt);
        rows += delivery->rows;
        errors.insert(errors.end(), delivery->errors.begin(), delivery->errors.end());
      }
      EXPECT_EQ(rows + errors.size(), 4U);
      return errors;
    };
    pool->SendReset({.env_ids = pool->AllIds()});
    EXPECT_TRUE(receive_all().empty());
    Actions actions(4);
    actions[2] = kFail;
    pool->Send({pool->AllIds(), actions.Get()});
    const std::vector<EnvError> errors = receive_all();
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].env_id, 2);
    EXPECT_EQ(errors[0].message, "failed on purpose");
    EXPECT_EQ(errors[0].kind, EnvError::Kind::kLetter);
    EXPECT_THROW(pool->Send({Ids{2}, Actions(1).Get()}), std::runtime_error);
    pool->SendReset({.env_ids = pool->AllIds()});
    EXPECT_TRUE(receive_all().empty());
  }
}

TEST(ProcessPool, LettersComeWithTheirRows) {
  Served pool(MakeConfig(5, 5, 2));
  const std::vector<std::string> letters = {"a", "", std::string(100'000, 'c'), "", "e"};
  const Delivery delivery =
      pool->Reset({.env_ids = pool->AllIds(), .letters = letters}, DontInterrupt);
  ASSERT_EQ(delivery.letters.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(delivery.letters[i].row, 2 * i);
    EXPECT_EQ(delivery.letters[i].bytes, letters[2 * i] + std::to_string(2 * i));
  }
}

TEST(ProcessPool, WhatCannotBeReadHasFailedAfterItsDelivery) {
  Served pool(MakeConfig(3, 3, 1));
  pool->Reset({.env_ids = pool->AllIds()}, DontInterrupt);
  pool->Fail(1, "cannot be read");
  pool->Fail(1, "by another caller");
  EXPECT_THROW(pool->Send({Ids{1}, Actions(1).Get()}), std::runtime_error);
  pool->Send({Ids{0, 2}, Actions(2).Get()});
  pool->Fail(0, "too late: it has another request");
  pool->Receive(std::nullopt, DontInterrupt);
  pool->Reset({.env_ids = Ids{1}}, DontInterrupt);
  pool->Step({pool->AllIds(), Actions(3).Get()}, DontInterrupt);
}

// Results stay what they were, however many of them are kept.
TEST(ProcessPool, ResultsCanBeKept) {
  for (const int batch_size : {4, 2}) {
    Served pool(MakeConfig(4, batch_size, 2), MakesCounting(1 << 30));
    std::vector<Delivery> kept;
    std::vector<Ids> expected;
    pool->SendReset({.env_ids = pool->AllIds()});
    const Actions actions(static_cast<std::size_t>(batch_size));
    for (int i = 0; i < 1000; ++i) {
      kept.push_back(*pool->Receive(std::nullopt, DontInterrupt));
      expected.push_back(Int32s(*pool, kept.back(), "obs.obs"));
      pool->Send({Int32s(*pool, kept.back(), "@env_id"), actions.Get()});
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
      EXPECT_EQ(Int32s(*pool, kept[i], "obs.obs"), expected[i]);
    }
  }
}

TEST(ProcessPool, IsClosedForThoseWhoWait) {
  Served pool(MakeConfig(2, 2, 1));
  std::thread closer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    pool->Close();
  });
  EXPECT_THROW(pool->Receive(std::chrono::seconds(60), DontInterrupt), std::runtime_error);
  closer.join();
  EXPECT_THROW(pool->SendReset({.env_ids = Ids{0}}), std::runtime_error);
}

// Many senders and receivers; each environment's steps are counted one by one.
TEST(ProcessPool, ManyCallersShareIt) {
  constexpr int kEnvs = 12;
  constexpr int kRounds = 600;
  Served pool(MakeConfig(kEnvs, 3, 3), MakesCounting(1 << 30));
  pool->SendReset({.env_ids = pool->AllIds()});
  std::vector<std::atomic<int>> steps(kEnvs);
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        const auto delivery = pool->Receive(std::nullopt, DontInterrupt);
        const Ids ids = Int32s(*pool, *delivery, "@env_id");
        const Ids counts = Int32s(*pool, *delivery, "obs.obs");
        for (std::size_t row = 0; row < ids.size(); ++row) {
          EXPECT_EQ(steps[static_cast<std::size_t>(ids[row])].fetch_add(1), counts[row]);
        }
        pool->Send({ids, Actions(ids.size()).Get()});
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  const int all = std::accumulate(steps.begin(), steps.end(), 0);
  EXPECT_EQ(all, 3 * kRounds * 3);
}

}  // namespace
}  // namespace envpool
