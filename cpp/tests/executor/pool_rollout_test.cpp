// Batches in the slots of a rollout: the same rows, where the caller reads them.
#include <cstring>

#include "results/slots.h"
#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

constexpr const char* kElsewhere =
    "since the rollout's last call the environments were stepped, reset or closed without it: "
    "reset() it";

// A pool's rollout of so many steps.
class PoolRollout {
 public:
  PoolRollout(Pool& pool, std::size_t steps)
      : pool_(pool),
        slots_(std::make_shared<Slots>(pool.GetLayout().bytes, steps + 1, steps + 1)) {}

  void Reset() {
    pool_.Reset({.env_ids = pool_.AllIds(), .slots = slots_.get()}, NeverInterrupted);
    slots_->Fill();
  }
  void Step(std::int32_t action = 0) {
    const Actions actions(pool_.AllIds().size(), action);
    pool_.Step({.env_ids = pool_.AllIds(), .actions = actions.View(), .slots = slots_.get()},
               NeverInterrupted);
    slots_->Fill();
  }
  std::byte* At(std::size_t slot) { return slots_->Memory() + slot * slots_->BlockBytes(); }
  Slots& Get() { return *slots_; }
  void Forget() { slots_.reset(); }

 private:
  Pool& pool_;
  std::shared_ptr<Slots> slots_;
};

class InAllModes : public testing::TestWithParam<AutoresetMode> {};

TEST_P(InAllModes, SlotsHaveTheRowsOfBatches) {
  const Ints lengths{1, 2, 3, 5, 8, 2, 4, 6};
  const PoolConfig config = CountingConfig(GetParam(), lengths, 8, 3);
  const EnvType& type = TestType("Counting");
  Pool rolled(OfType(type, config));
  Pool stepped(OfType(type, config));
  PoolRollout rollout(rolled, 20);
  for (int round = 0; round < 3; ++round) {
    rollout.Reset();
    Delivery expected = Reset(stepped);
    for (std::size_t slot = 0; slot <= 20; ++slot) {
      const Layout& layout = stepped.GetLayout();
      const auto over = layout.terminated.At<bool>(expected.block.get(), 0, 8);
      for (const NamedColumn& column : layout.all) {
        for (std::size_t row = 0; row < 8; ++row) {
          if (column.name.find("final_") < 2 && !over[row]) continue;
          const std::size_t at = column.offset + row * column.row_bytes;
          EXPECT_EQ(std::memcmp(rollout.At(slot) + at, expected.block.get() + at, column.row_bytes),
                    0)
              << column.name << " of environment " << row << " in slot " << slot;
        }
      }
      if (slot == 20) break;
      rollout.Step();
      expected = Step(stepped, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, InAllModes,
                         testing::Values(AutoresetMode::kNextStep, AutoresetMode::kSameStep));

TEST(PoolRollout, IsRefusedAfterOtherBatchesOfThePool) {
  const auto pool = MakePool("Counting", 4, 4, 2);
  PoolRollout one(*pool, 5);
  PoolRollout other(*pool, 5);
  one.Reset();
  one.Step();
  Step(*pool, 0);
  EXPECT_EQ(Refusal([&] { one.Step(); }), kElsewhere);
  one.Reset();
  one.Step();
  other.Reset();
  EXPECT_EQ(Refusal([&] { one.Step(); }), kElsewhere);
  other.Step();
  pool->Close();
  EXPECT_EQ(Refusal([&] { other.Step(); }), kElsewhere);
  other.Reset();
  other.Step();
}

TEST(PoolRollout, OfNoMoreStepsQueuesNothing) {
  const auto pool = MakePool("Counting", 4, 4, 2);
  PoolRollout rollout(*pool, 1);
  rollout.Reset();
  rollout.Step();
  EXPECT_EQ(Refusal([&] { rollout.Step(); }),
            "the rollout is full, with 1 steps: begin() the next one");
  rollout.Get().Restart();
  rollout.Step();
  const Column& observed = pool->GetLayout().observation[0];
  EXPECT_EQ(observed.At<std::int32_t>(rollout.At(1), 0, 1)[0], 2);
}

TEST(PoolRollout, KeepsItsMemoryUntilAnInterruptedStepHasEnded) {
  Pool pool(OfType(HeldEnv::Type(), MakeConfig(HeldEnv::Type(), 2, 2, 2)));
  PoolRollout rollout(pool, 3);
  rollout.Reset();
  {
    const HeldEnv::Hold hold;
    const Actions actions(2, 1);
    const StepRequest step{
        .env_ids = pool.AllIds(), .actions = actions.View(), .slots = &rollout.Get()};
    EXPECT_THROW(pool.Step(step, InterruptAtOnce), Interrupted);
  }
  EXPECT_FALSE(Refusal([&] { rollout.Get().Restart(); }).empty());
  rollout.Forget();
  const Delivery late = Receive(pool);
  EXPECT_EQ(Observations(pool, late), (Ints{1, 1}));
}

// Whoever reads a rollout sees what all threads have written, and a copy of the last slot.
TEST(PoolRollout, ManyThreadsWriteIntoIt) {
  constexpr std::size_t kSteps = 50;
  const auto pool = MakePool("Counting", 64, 64, 4);
  PoolRollout rollout(*pool, kSteps);
  rollout.Reset();
  const Column& observed = pool->GetLayout().observation[0];
  std::int32_t count = 0;
  for (int round = 0; round < 20; ++round) {
    for (std::size_t step = 0; step < kSteps; ++step) rollout.Step();
    for (std::size_t slot = 0; slot <= kSteps; ++slot, ++count) {
      for (const std::int32_t value : observed.At<std::int32_t>(rollout.At(slot), 0, 64)) {
        ASSERT_EQ(value, count % 11);  // episodes of ten steps, then one that resets
      }
    }
    --count;  // which the next one has too
    rollout.Get().Restart();
  }
}

}  // namespace
}  // namespace envpool
