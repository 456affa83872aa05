// After a warm-up, neither a pool of processes nor its workers allocate anything.
#include <gtest/gtest.h>

#include "tests/counted_allocations.h"
#include "tests/workers/pool_fixture.h"

namespace envpool {
namespace {

class ProcessAllocations : public testing::TestWithParam<AutoresetMode> {
 protected:
  static SharedConfig Config(int num_envs, int batch_size) {
    SharedConfig config = MakeConfig(num_envs, batch_size, 2);
    config.pool.autoreset_mode = GetParam();
    config.pool.layout.final_rows = GetParam() == AutoresetMode::kSameStep;
    return config;
  }
};

TEST_P(ProcessAllocations, NoneInASynchronousLoop) {
  Served pool(Config(16, 16));
  const Actions actions(16);
  pool->Reset({.env_ids = pool->AllIds()}, DontInterrupt);
  const auto step = [&] { pool->Step({pool->AllIds(), actions.Get()}, DontInterrupt); };
  EXPECT_EQ(CountAllocations(1000, step), 0);
}

TEST_P(ProcessAllocations, NoneInAnAsynchronousLoop) {
  Served pool(Config(12, 4));
  const Actions actions(4);
  pool->SendReset({.env_ids = pool->AllIds()});
  std::vector<std::int32_t> ids(4);
  const auto step = [&] {
    const auto delivery = pool->Receive(std::nullopt, DontInterrupt);
    const auto received = pool->GetLayout().env_id.At<std::int32_t>(delivery->block.get(), 0, 4);
    std::ranges::copy(received, ids.begin());
    pool->Send({ids, actions.Get()});
  };
  EXPECT_EQ(CountAllocations(1000, step), 0);
}

// Episodes end after five steps, and the next ones begin by themselves.
INSTANTIATE_TEST_SUITE_P(Modes, ProcessAllocations,
                         testing::Values(AutoresetMode::kNextStep, AutoresetMode::kSameStep));

}  // namespace
}  // namespace envpool
