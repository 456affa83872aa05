// What a pool tells about environments that are not running, and how it changes them.
#include <algorithm>
#include <atomic>
#include <future>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "environments/snapshot.h"
#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

void SetState(Pool& pool, const Ints& ids, const std::vector<std::string>& states) {
  pool.Loans().SetState(ids, std::vector<std::string_view>(states.begin(), states.end()));
}

std::vector<std::vector<std::string>> Settings(Pool& pool) {
  std::vector<std::vector<std::string>> settings;
  for (const Options& options : pool.Loans().GetOptions(pool.AllIds())) {
    settings.push_back(DescribeSettings(options, 1));
  }
  return settings;
}

TEST(Assume, IsRefusedWhileAnEnvironmentCannotTakeIt) {
  const EnvType& type = FindType(CLASSIC_CONTROL_LIBRARY, "CartPole");
  Pool pool(OfType(type, MakeConfig(type, 2, 2, 1)));
  const std::vector<Scene> scene = {{{"state", {0.1, 0.2, 0.3, 0.4}}}};
  EXPECT_EQ(Refusal([&] { pool.Loans().Assume(Ints{1}, scene); }),
            "environment 1 has no episode: reset it first");
  Reset(pool);
  EXPECT_EQ(Refusal([&] { pool.Loans().Assume(Ints{0, 1}, scene); }),
            "scenes: expected one per id");
  EXPECT_EQ(Refusal([&] { pool.Loans().Assume(Ints{0}, std::vector<Scene>(1)); }),
            "state has 0 numbers, expected 4");
  const std::vector<Scene> before = pool.Loans().Describe(Ints{0, 1}, NeverInterrupted);
  pool.Loans().Assume(Ints{1}, scene);
  const std::vector<Scene> after = pool.Loans().Describe(Ints{0, 1}, NeverInterrupted);
  EXPECT_EQ(after[0], before[0]);
  EXPECT_EQ(after[1], scene[0]);
}

TEST(SetOptions, ChangesNothingIfOneCannotBeMade) {
  const EnvType& type = TestType("Failing");
  Pool pool(OfType(type, MakeConfig(type, 3, 3, 1)));
  Reset(pool);
  Step(pool, 0);
  const auto states = pool.Loans().GetState(pool.AllIds());
  const auto settings = Settings(pool);
  std::vector<Options> options(3, Options(type.options));
  options[0].Set("fail_at", std::int64_t{9});
  options[1].Set("place", std::string("constructor"));
  EXPECT_EQ(Refusal([&] { pool.Loans().SetOptions(pool.AllIds(), options); }),
            "failed on purpose in constructor");
  EXPECT_EQ(Settings(pool), settings);
  EXPECT_EQ(pool.Loans().GetState(pool.AllIds()), states);
  EXPECT_EQ(Observations(pool, Step(pool, 0)), (Ints{2, 2, 2}));
}

TEST(SetOptions, RefusesOtherSpacesAndRunningEnvironments) {
  const EnvType& type = TestType("Structured");
  Pool pool(OfType(type, MakeConfig(type, 2, 2, 1)));
  Options other(type.options);
  other.Set("as_tuple", true);
  EXPECT_EQ(Refusal([&] { pool.Loans().SetOptions(Ints{0}, {other}); }),
            "these options would change the spaces of Structured");
  pool.SendReset({.env_ids = Ints{1}});
  EXPECT_EQ(Refusal([&] { pool.Loans().SetOptions(Ints{1}, {Options(type.options)}); }),
            "environment 1 is already running: recv() its result first");
  pool.Loans().SetOptions(Ints{0}, {Options(type.options)});
  Receive(pool);
}

// One thread saves and restores the upper half of the environments while others step the lower.
TEST(States, OfIdleEnvironmentsWhileOthersRun) {
  constexpr int kEnvs = 16;
  const auto pool = MakePool("Counting", kEnvs, 4, 2);
  Ints idle(kEnvs / 2);
  std::iota(idle.begin(), idle.end(), kEnvs / 2);
  pool->SendReset({.env_ids = pool->AllIds()});
  std::vector<std::int32_t> steps(kEnvs, 0);
  std::atomic<bool> done = false;
  for (int batch = 0; batch < kEnvs / 4; ++batch) Receive(*pool);
  const auto first_states = pool->Loans().GetState(pool->AllIds());
  Send(*pool, {0, 1, 2, 3, 4, 5, 6, 7}, 1);
  auto stepping = std::async(std::launch::async, [&] {
    for (int batch = 0; batch < 2000; ++batch) {
      const Delivery delivery = Receive(*pool);
      const Ints ids = EnvIds(*pool, delivery);
      const Ints observed = Observations(*pool, delivery);
      for (std::size_t row = 0; row < ids.size(); ++row) {
        auto& step = steps[static_cast<std::size_t>(ids[row])];
        step = (step + 1) % 11;
        EXPECT_EQ(observed[row], step);
      }
      Send(*pool, ids, 1);
    }
    done = true;
  });
  std::mt19937 random(1);
  std::vector<std::string> states(first_states.begin() + kEnvs / 2, first_states.end());
  while (!done) {
    std::ranges::shuffle(states, random);
    SetState(*pool, idle, states);
    EXPECT_EQ(pool->Loans().GetState(idle), states);
    EXPECT_NE(Refusal([&] { SetState(*pool, pool->AllIds(), first_states); }), "");
  }
  stepping.get();
  EXPECT_EQ(pool->Loans().GetState(idle), states);
}

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
