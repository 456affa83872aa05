// How a pool's threads work, and what it refuses.
#include "executor/pool.h"

#include <sched.h>

#include <chrono>

#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

using std::chrono::milliseconds;

class PoolWithThreads : public testing::TestWithParam<int> {};

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

}  // namespace
}  // namespace envpool
