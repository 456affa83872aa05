// What a pool promises, with workers that are threads: so the sanitizers see all of it.
#include "workers/process_pool.h"

#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <thread>

#include "tests/workers/pool_fixture.h"

namespace envpool {
namespace {

using Ids = std::vector<std::int32_t>;

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
