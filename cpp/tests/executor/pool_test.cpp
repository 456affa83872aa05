// What a pool returns, in which order, and what it refuses.
#include "executor/pool.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <future>

#include "tests/executor/pool_fixture.h"
#include "threads/threads.h"

namespace envpool {
namespace {

using std::chrono::milliseconds;

class PoolWithThreads : public testing::TestWithParam<int> {};

// One episode of three steps, twice, with next-step auto-reset.
TEST_P(PoolWithThreads, ResetsOnTheStepAfterAnEpisode) {
  const EnvType& type = TestType("Counting");
  PoolConfig config = MakeConfig(type, 3, 3, GetParam());
  config.options[0].Set("episode_length", std::int64_t{3});
  Pool pool(type, config);
  const Layout& layout = pool.GetLayout();
  Reset(pool);
  const int steps[] = {1, 2, 3, 0, 1, 2, 3, 0};
  for (const int step : steps) {
    const Delivery delivery = Step(pool, 5);
    EXPECT_EQ(EnvIds(pool, delivery), (Ints{0, 1, 2}));
    EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.observation[0]), Ints(3, step));
    EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.elapsed_step), Ints(3, step));
    EXPECT_EQ(ColumnOf<float>(delivery, layout.reward), std::vector<float>(3, step ? 5 : 0));
    EXPECT_EQ(ColumnOf<bool>(delivery, layout.terminated), std::vector<bool>(3, step == 3));
    EXPECT_EQ(ColumnOf<bool>(delivery, layout.truncated), std::vector<bool>(3, false));
  }
}

TEST_P(PoolWithThreads, TruncatesExactlyAtTheLimit) {
  const EnvType& type = TestType("Counting");
  PoolConfig config = MakeConfig(type, 2, 2, GetParam());
  config.options[0].Set("episode_length", std::int64_t{4});
  config.max_episode_steps = 4;
  Pool pool(type, config);
  for (const int step : {0, 1, 2, 3, 4, 0}) {
    const Delivery delivery = Step(pool, 1);  // the first one acts as a reset
    const std::vector<bool> over(2, step == 4);
    EXPECT_EQ(ColumnOf<bool>(delivery, pool.GetLayout().terminated), over);
    EXPECT_EQ(ColumnOf<bool>(delivery, pool.GetLayout().truncated), over);
  }
}

TEST_P(PoolWithThreads, PartialRequestsKeepTheOrderOfTheirIds) {
  const auto pool = MakePool("Counting", 100, 100, GetParam());
  Reset(*pool);
  const Ints ids = {70, 3, 99, 0};
  const Actions actions(ids.size(), 1);
  const Delivery delivery = pool->Step({ids, actions.View()}, NeverInterrupted);
  EXPECT_EQ(EnvIds(*pool, delivery), ids);
  const Delivery all = Step(*pool, 1);
  const auto steps = ColumnOf<std::int32_t>(all, pool->GetLayout().elapsed_step);
  for (std::int32_t env = 0; env < 100; ++env) {
    EXPECT_EQ(steps[std::size_t(env)], std::ranges::count(ids, env) ? 2 : 1);
  }
}

TEST_P(PoolWithThreads, SynchronousSendsAreReceivedOneByOneInOrder) {
  const auto pool = MakePool("Counting", 6, 6, GetParam());
  const std::vector<Ints> sends = {{4, 1}, {0}, {5, 3, 2}};
  for (const Ints& ids : sends) pool->SendReset({.env_ids = ids});
  for (const Ints& ids : sends) EXPECT_EQ(EnvIds(*pool, Receive(*pool)), ids);
}

TEST_P(PoolWithThreads, ErrorsComeWithTheResultsOfTheOthers) {
  for (const std::string place : {"step", "observe"}) {
    const EnvType& type = TestType("Failing");
    PoolConfig config = MakeConfig(type, 4, 4, GetParam());
    config.options.assign(4, Options(type.options));
    config.options[2].Set("place", place);
    Pool pool(type, config);
    Reset(pool);
    EXPECT_TRUE(Step(pool, 0).errors.empty());
    const Delivery delivery = Step(pool, 0);
    ASSERT_EQ(delivery.errors.size(), 1U);
    EXPECT_EQ(delivery.errors[0].env_id, 2);
    EXPECT_EQ(delivery.errors[0].message, "failed on purpose in " + place);
    EXPECT_EQ(EnvIds(pool, delivery), (Ints{0, 1, 3}));
    EXPECT_EQ(ColumnOf<std::int32_t>(delivery, pool.GetLayout().elapsed_step), Ints(3, 2));

    EXPECT_EQ(Refusal([&] { Step(pool, 0); }), "environment 2 has failed: reset it first");
    pool.Reset({.env_ids = Ints{2}}, NeverInterrupted);
    EXPECT_EQ(ColumnOf<std::int32_t>(Step(pool, 0), pool.GetLayout().elapsed_step),
              (Ints{3, 3, 1, 3}));
  }
}

TEST_P(PoolWithThreads, AsynchronousErrorsFillTheirPlaceInTheBatch) {
  const EnvType& type = TestType("Failing");
  PoolConfig config = MakeConfig(type, 4, 2, GetParam());
  config.options.assign(4, Options(type.options));
  config.options[1].Set("place", "reset");
  Pool pool(type, config);
  pool.SendReset({.env_ids = pool.AllIds()});
  std::size_t rows = 0;
  std::size_t errors = 0;
  for (int batch = 0; batch < 2; ++batch) {
    const Delivery delivery = Receive(pool);
    rows += delivery.rows;
    errors += delivery.errors.size();
  }
  EXPECT_EQ(rows, 3U);
  EXPECT_EQ(errors, 1U);
}

TEST_P(PoolWithThreads, PlayersKeepADeterministicOrder) {
  const auto pool = MakePool("Players", 3, 3, GetParam());
  const Layout& layout = pool->GetLayout();
  Delivery delivery = Reset(*pool);
  EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.players_env_id), (Ints{0, 1, 2}));
  // Step environment 1 alone, so that the environments have 1, 2 and 1 players.
  const Actions one(1, 7);
  pool->Step({Ints{1}, one.View()}, NeverInterrupted);
  EXPECT_EQ(Refusal([&] { Step(*pool, 1); }),
            "players.action has 3 rows, expected 4, one per player");
  const Ints values = {10, 20, 21, 30};
  const ArrayView view{reinterpret_cast<const std::byte*>(values.data()), DType::kInt32, 4};
  delivery = pool->Step({pool->AllIds(), {&view, 1}}, NeverInterrupted);
  EXPECT_EQ(EnvIds(*pool, delivery), (Ints{0, 1, 2}));
  EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.players_env_id), (Ints{0, 0, 1, 1, 1, 2, 2}));
  EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.info[0]), (Ints{0, 1, 0, 1, 2, 0, 1}));
  EXPECT_EQ(ColumnOf<float>(delivery, layout.reward),
            (std::vector<float>{10, 0, 20, 21, 0, 30, 0}));
  EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.observation[0]),
            (Ints{1, 0, 1, 1, 2, 0, 2, 1, 2, 2, 1, 0, 1, 1}));
}

TEST(Threads, OnlyASynchronousPoolCanDoWithout) {
  const auto make = [](int batch_size) { return MakePool("Counting", 4, batch_size, 0); };
  EXPECT_EQ(Refusal([&] { make(2); }), "num_threads is 0, expected at least 1");
  EXPECT_EQ(Refusal([] { MakePool("Counting", 4, 4, -1); }),
            "num_threads is -1, expected at least 0");
  const auto pool = make(4);
  Reset(*pool);
  Send(*pool, pool->AllIds(), 0);
  EXPECT_EQ(RunningThreads(), 0);
  EXPECT_EQ(EnvIds(*pool, Receive(*pool)), (Ints{0, 1, 2, 3}));
  EXPECT_TRUE(pool->Stats(false).workers.empty());
}

TEST(Players, AreThoseThatTheirEnvironmentsHaveNow) {
  const auto pool = MakePool("Players", 3, 3, 1);
  Reset(*pool);
  pool->Step({Ints{1}, Actions(1, 7).View()}, NeverInterrupted);
  const std::string expected = ": the id of each environment, once for each of its players";
  const auto refusal = [&](const Ints& env_ids, const Ints& owners) {
    return Refusal([&] { pool->CheckPlayers(env_ids, owners); });
  };
  EXPECT_EQ(refusal({0, 1, 2}, {0, 1, 1, 2}), "");
  EXPECT_EQ(refusal({2, 1}, {2, 1, 1}), "");
  EXPECT_EQ(refusal({}, {}), "");
  EXPECT_EQ(refusal({2, 1}, {1, 1, 2}), "players.env_id[0] is 1, expected 2" + expected);
  EXPECT_EQ(refusal({1, 2}, {1, 2, 2}), "players.env_id[1] is 2, expected 1" + expected);
  EXPECT_EQ(refusal({1, 2}, {1, 1}), "players.env_id has 2 entries, expected 3" + expected);
  EXPECT_EQ(refusal({1}, {1}), "players.env_id has 1 entries, expected 2" + expected);
  EXPECT_EQ(refusal({1}, {1, 1, 1}), "players.env_id has 3 entries, expected 2" + expected);
  EXPECT_EQ(refusal({3}, {3}), "env_id[0] is 3, expected 0 <= env_id < num_envs = 3");
}

TEST(Players, AreOneUnlessTheSpecSaysMore) {
  const EnvType& type = TestType("Failing");
  PoolConfig config = MakeConfig(type, 1, 1, 1);
  config.options[0].Set("place", "players");
  EXPECT_EQ(Refusal([&] { Pool(type, config); }),
            "NumPlayers() is 2, expected 1: the spec has max_num_players = 1");
}

// The workers park between the calls, and only an invitation wakes them.
TEST_P(PoolWithThreads, AsynchronousStepsWakeParkedWorkers) {
  const auto pool = MakePool("Counting", 4, 2, GetParam());
  Reset(*pool);
  Receive(*pool);
  Ints ids = {0, 1};
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(milliseconds(2));
    const Actions actions(ids.size(), 1);
    ids = EnvIds(*pool, pool->Step({ids, actions.View()}, NeverInterrupted));
    EXPECT_EQ(ids.size(), 2U);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, PoolWithThreads, testing::Values(1, 2, 3, 8));

// Two environments sleep long, six not at all: the six come first, however they were sent.
TEST(Pool, SlowEnvironmentsHoldNobodyBack) {
  const EnvType& type = TestType("Sleeping");
  PoolConfig config = MakeConfig(type, 8, 2, 3);  // two threads sleep, one is left
  config.options.assign(8, Options(type.options));
  config.options[0].Set("step_ms", 300.0);
  config.options[5].Set("step_ms", 300.0);
  Pool pool(type, config);
  pool.SendReset({.env_ids = pool.AllIds()});
  for (int batch = 0; batch < 4; ++batch) Receive(pool);
  const Actions actions(8, 0);
  pool.Send({pool.AllIds(), actions.View()});
  std::vector<std::int32_t> counts(8, 0);
  const Actions pair(2, 0);
  for (int batch = 0; batch < 50; ++batch) {
    const Ints ids = EnvIds(pool, Receive(pool));
    for (const std::int32_t id : ids) ++counts[std::size_t(id)];
    pool.Send({ids, pair.View()});
  }
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 100);
  EXPECT_LE(counts[0] + counts[5], 2) << "50 batches of quick ones take far less than 300 ms";
}

TEST(Pool, RefusesBadRequestsAndStaysAsItWas) {
  const auto pool = MakePool("Counting", 4, 4, 1);
  Reset(*pool);
  const auto step = [&](const Ints& ids, std::int32_t action) {
    return Refusal(
        [&] { pool->Step({ids, Actions(ids.size(), action).View()}, NeverInterrupted); });
  };
  EXPECT_EQ(step({0, 4}, 1), "env_id[1] is 4, expected 0 <= env_id < num_envs = 4");
  EXPECT_EQ(step({-1}, 1), "env_id[0] is -1, expected 0 <= env_id < num_envs = 4");
  EXPECT_EQ(step({2, 1, 2}, 1), "env_id 2 is repeated");
  EXPECT_EQ(step({0}, 1000), "action[0] is 1000, expected an integer from 0 to 999");
  pool->Send({Ints{3}, Actions(1, 1).View()});
  EXPECT_NE(step({3}, 1).find("recv() them first"), std::string::npos);
  EXPECT_NE(Refusal([&] {
              pool->Send({Ints{1, 3}, Actions(2, 1).View()});
            }).find("environment 3 is already running"),
            std::string::npos);
  EXPECT_EQ(EnvIds(*pool, Receive(*pool)), Ints{3});
  EXPECT_NE(Refusal([&] { Receive(*pool); }).find("would wait forever"), std::string::npos);
  EXPECT_EQ(ColumnOf<std::int32_t>(Step(*pool, 1), pool->GetLayout().elapsed_step),
            (Ints{1, 1, 1, 2}));
}

TEST(Pool, RefusesBadConfigurations) {
  const EnvType& type = TestType("Counting");
  const auto make = [&](auto change) {
    PoolConfig config = MakeConfig(type, 4, 2, 1);
    change(config);
    return Refusal([&] { Pool(type, config); });
  };
  EXPECT_EQ(make([](PoolConfig& config) { config.batch_size = 5; }),
            "batch_size is 5, expected 1 to num_envs = 4");
  EXPECT_NE(make([](PoolConfig& config) { config.num_threads = 0; }), "");
  EXPECT_NE(make([](PoolConfig& config) { config.num_envs = 0; }), "");
  EXPECT_NE(make([](PoolConfig& config) { config.seeds.pop_back(); }), "");
  EXPECT_NE(make([](PoolConfig& config) { config.max_episode_steps = 0; }), "");
}

TEST(Pool, AConstructorsFailureIsTheCallers) {
  const EnvType& type = TestType("Failing");
  PoolConfig config = MakeConfig(type, 2, 2, 2);
  config.options[0].Set("place", "constructor");
  EXPECT_EQ(Refusal([&] { Pool(type, config); }), "failed on purpose in constructor");
}

TEST(Pool, SameSeedsGiveTheSameWhateverTheThreads) {
  const EnvType& type = FindType(CLASSIC_CONTROL_LIBRARY, "CartPole");
  std::vector<float> first;
  for (const int threads : {1, 2, 5}) {
    Pool pool(type, MakeConfig(type, 300, 300, threads));
    std::vector<float> all;
    Reset(pool);
    for (int i = 0; i < 200; ++i) {
      const Delivery delivery = Step(pool, i / 3 % 2);
      const auto observations = ColumnOf<float>(delivery, pool.GetLayout().observation[0]);
      all.insert(all.end(), observations.begin(), observations.end());
    }
    if (first.empty()) first = all;
    EXPECT_EQ(all, first) << threads << " threads";
  }
}

TEST(Pool, ReceiveWaitsAsLongAsItIsTold) {
  const auto pool = MakePool("Counting", 4, 2, 1);
  EXPECT_FALSE(pool->Receive(milliseconds(5), NeverInterrupted).has_value());
  auto later = std::async(std::launch::async, [&] {
    return pool->Receive(std::chrono::seconds(60), NeverInterrupted).has_value();
  });
  pool->SendReset({.env_ids = Ints{0, 1}});
  EXPECT_TRUE(later.get());
}

TEST(Pool, ReceiveDoesNotWorkOnPastItsTime) {
  const EnvType& type = TestType("Sleeping");
  PoolConfig config = MakeConfig(type, 100, 100, 1);
  config.options[0].Set("step_ms", 5.0);
  Pool pool(type, config);
  Reset(pool);
  Step(pool, 0);  // costs are known now: the receiver helps
  pool.Send({pool.AllIds(), Actions(100, 0).View()});
  EXPECT_FALSE(pool.Receive(milliseconds(20), NeverInterrupted).has_value()) << "500 ms of work";
  EXPECT_EQ(Receive(pool).rows, 100U);
}

TEST(Pool, CallsFromWithinACallAreRefused) {
  static Pool* pool = nullptr;
  const auto owner = MakePool("Counting", 2, 1, 1);
  pool = owner.get();
  const auto close = [] { pool->Close(); };
  const auto receive = [] { pool->Receive(milliseconds(1), NeverInterrupted); };
  for (const Interrupt interrupt : {Interrupt(close), Interrupt(receive)}) {
    EXPECT_EQ(Refusal([&] { pool->Receive(std::chrono::seconds(60), interrupt); }),
              "the pool was called by a signal handler during another call");
  }
  EXPECT_EQ(Reset(*pool).rows, 1U);
}

TEST(Pool, AnInterruptEndsTheWaitAndLosesNothing) {
  const EnvType& type = TestType("Sleeping");
  PoolConfig config = MakeConfig(type, 1, 1, 1);
  config.options[0].Set("reset_ms", 2.0);  // which says nothing of the steps
  config.options[0].Set("step_ms", 600.0);
  Pool pool(type, config);
  const Actions action(1, 0);
  const auto interrupt = [] { throw Interrupted(); };
  for (int episode = 0; episode < 2; ++episode) {
    Reset(pool);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THROW(pool.Step({pool.AllIds(), action.View()}, interrupt), Interrupted);
    EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(300));
    const Delivery delivery = Receive(pool);
    EXPECT_EQ(ColumnOf<std::int32_t>(delivery, pool.GetLayout().elapsed_step), Ints{1});
  }
}

// Observes the core it was stepped on.
class CoreEnv final : public Env {
 public:
  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kInt32, {})},
            .action = {Discrete("action", 2)},
            .info = {}};
  }
  void Reset(Random&, const Options&) override { core_ = sched_getcpu(); }
  StepResult Step(const Action&, Random&) override {
    core_ = sched_getcpu();
    return {};
  }
  void Observe(const Row& row) const override { row.Observation<std::int32_t>()[0] = core_; }

 private:
  std::int32_t core_ = -1;
};

TEST(Pool, PinsItsThreadsFromTheOffsetOn) {
  const EnvType type{
      .name = "Core",
      .options = {},
      .reset_options = {},
      .spec = CoreEnv::MakeSpec,
      .create = [](const Options&) -> std::unique_ptr<Env> { return std::make_unique<CoreEnv>(); }};
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  for (int offset = 0; offset < cores; ++offset) {
    PoolConfig config = MakeConfig(type, 2, 1, 1);
    config.thread_affinity_offset = offset;
    Pool pool(type, config);
    pool.SendReset({.env_ids = pool.AllIds()});
    for (int i = 0; i < 50; ++i) {
      const Delivery delivery = Receive(pool);
      EXPECT_EQ(ColumnOf<std::int32_t>(delivery, pool.GetLayout().observation[0]), Ints{offset});
      pool.Send({EnvIds(pool, delivery), Actions(1, 0).View()});
    }
  }
}

TEST(Pool, CloseForgetsWhatIsInFlightAndTheNextRequestStartsAnew) {
  for (const int batch_size : {8, 3}) {
    const auto pool = MakePool("Counting", 8, batch_size, 2);
    for (int round = 0; round < 20; ++round) {
      pool->SendReset({.env_ids = pool->AllIds()});
      if (round % 2 == 0) Receive(*pool);
      pool->Close();
      pool->Close();
    }
    pool->SendReset({.env_ids = pool->AllIds()});
    EXPECT_EQ(Receive(*pool).rows, static_cast<std::size_t>(batch_size));
  }
}

TEST(Pool, CloseEndsAWaitInAnotherThread) {
  const auto pool = MakePool("Counting", 4, 2, 1);
  auto waiting = std::async(std::launch::async, [&] {
    return Refusal([&] { pool->Receive(std::chrono::seconds(60), NeverInterrupted); });
  });
  while (waiting.wait_for(milliseconds(20)) != std::future_status::ready) pool->Close();
  EXPECT_EQ(waiting.get(), "the pool was closed during recv()");
}

TEST(Pool, DeliveriesOutliveIt) {
  auto pool = MakePool("Counting", 4, 4, 2);
  const Layout layout = pool->GetLayout();
  const Delivery delivery = Reset(*pool);
  for (int i = 0; i < 10; ++i) Step(*pool, 1);
  pool.reset();
  EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.env_id), (Ints{0, 1, 2, 3}));
  EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.elapsed_step), Ints(4, 0));
}

}  // namespace
}  // namespace envpool
