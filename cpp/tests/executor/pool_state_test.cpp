// What a pool counts while it works.
#include <atomic>
#include <future>
#include <vector>

#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

// Nothing that is counted ever gets less.
void ExpectGrown(const PoolStats& now, const PoolStats& before) {
  const auto numbers = [](const PoolStats& stats) {
    std::vector<std::int64_t> all = {stats.elapsed_ns, stats.batches, stats.batch_age_ns};
    std::vector<WorkerTotals> everybody = stats.workers;
    everybody.push_back(stats.caller);
    for (const auto& [steps, episodes, busy_ns, copy_ns, idle_ns] : everybody) {
      all.insert(all.end(), {steps, episodes, busy_ns, copy_ns, idle_ns});
    }
    return all;
  };
  const auto all = numbers(now);
  const auto all_before = numbers(before);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_GE(all[i], all_before[i]) << "number " << i;
}

class Stats : public testing::TestWithParam<int> {};

TEST_P(Stats, GrowWhileWorkersRunAndAreExactAtTheEnd) {
  constexpr int kEnvs = 8;
  const PoolStats nothing{.caller = {}, .workers = {{}, {}}};
  const int batch_size = GetParam();
  const auto pool = MakePool("Counting", kEnvs, batch_size, 2);
  PoolStats counted;  // what was received
  std::atomic<bool> done = false;
  auto stepping = std::async(std::launch::async, [&] {
    pool->SendReset({.env_ids = pool->AllIds()});
    const int sends = 20000 / batch_size;
    for (int batch = 0; batch < sends + kEnvs / batch_size; ++batch) {
      const Delivery delivery = Receive(*pool);
      ++counted.batches;
      for (const std::int32_t elapsed :
           ColumnOf<std::int32_t>(delivery, pool->GetLayout().elapsed_step)) {
        counted.caller.steps += elapsed > 0;
        counted.caller.episodes += elapsed == 10;
      }
      if (batch < sends) Send(*pool, EnvIds(*pool, delivery), 1);
    }
    done = true;
  });
  PoolStats sum;  // over all new starts
  PoolStats before = nothing;
  for (int i = 0; !done; ++i) {
    const bool restart = i % 100 == 99;
    const PoolStats now = pool->Stats(restart);
    ExpectGrown(now, before);
    before = restart ? nothing : now;
    sum.caller.steps += restart ? now.Steps() : 0;
    sum.caller.episodes += restart ? now.Episodes() : 0;
    sum.batches += restart ? now.batches : 0;
  }
  stepping.get();
  const PoolStats last = pool->Stats(false);
  ExpectGrown(last, before);
  EXPECT_EQ(sum.caller.steps + last.Steps(), counted.caller.steps);
  EXPECT_EQ(sum.caller.episodes + last.Episodes(), counted.caller.episodes);
  EXPECT_EQ(sum.batches + last.batches, counted.batches);
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, Stats, testing::Values(8, 2));

}  // namespace
}  // namespace envpool
