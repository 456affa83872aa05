// What a pool returns, in which order, and what it refuses.
#include "executor/pool.h"

#include <sched.h>

#include <chrono>

#include "tests/executor/pool_fixture.h"
#include "threads/threads.h"

namespace envpool {
namespace {

using std::chrono::milliseconds;

class PoolWithThreads : public testing::TestWithParam<int> {};

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

TEST(Players, AreOneUnlessTheSpecSaysMore) {
  const EnvType& type = TestType("Failing");
  PoolConfig config = MakeConfig(type, 1, 1, 1);
  config.options[0].Set("place", "players");
  EXPECT_EQ(Refusal([&] { Pool(OfType(type, config)); }),
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

TEST(Pool, RefusesBadConfigurations) {
  const EnvType& type = TestType("Counting");
  const auto make = [&](auto change) {
    PoolConfig config = MakeConfig(type, 4, 2, 1);
    change(config);
    return Refusal([&] { Pool(OfType(type, config)); });
  };
  EXPECT_EQ(make([](PoolConfig& config) { config.batch_size = 5; }),
            "batch_size is 5, expected 1 to num_envs = 4");
  EXPECT_NE(make([](PoolConfig& config) { config.num_threads = 0; }), "");
  EXPECT_NE(make([](PoolConfig& config) { config.num_envs = 0; }), "");
  EXPECT_NE(make([](PoolConfig& config) { config.seeds.pop_back(); }), "");
  EXPECT_NE(make([](PoolConfig& config) { config.max_episode_steps = 0; }), "");
}

TEST(Pool, ReceiveDoesNotWorkOnPastItsTime) {
  const EnvType& type = TestType("Sleeping");
  PoolConfig config = MakeConfig(type, 100, 100, 1);
  config.options[0].Set("step_ms", 5.0);
  Pool pool(OfType(type, config));
  Reset(pool);
  Step(pool, 0);  // costs are known now: the receiver helps
  pool.Send({pool.AllIds(), Actions(100, 0).View()});
  EXPECT_FALSE(pool.Receive(milliseconds(20), NeverInterrupted).has_value()) << "500 ms of work";
  EXPECT_EQ(Receive(pool).rows, 100U);
}

TEST(Pool, AnInterruptEndsTheWaitAndLosesNothing) {
  const EnvType& type = TestType("Sleeping");
  PoolConfig config = MakeConfig(type, 1, 1, 1);
  config.options[0].Set("reset_ms", 2.0);  // which says nothing of the steps
  config.options[0].Set("step_ms", 600.0);
  Pool pool(OfType(type, config));
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
    Pool pool(OfType(type, config));
    pool.SendReset({.env_ids = pool.AllIds()});
    for (int i = 0; i < 50; ++i) {
      const Delivery delivery = Receive(pool);
      EXPECT_EQ(ColumnOf<std::int32_t>(delivery, pool.GetLayout().observation[0]), Ints{offset});
      pool.Send({EnvIds(pool, delivery), Actions(1, 0).View()});
    }
  }
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
