// After a warm-up, the executor allocates nothing.
#include "tests/counted_allocations.h"
#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

TEST(CountedAllocations, AreCounted) {
  const std::int64_t before = allocations.load();
  const auto number = std::make_unique<int>(1);
  EXPECT_EQ(allocations.load(), before + 1);
}

PoolConfig CartPoleConfig(AutoresetMode mode, int num_envs, int batch_size, int num_threads) {
  PoolConfig config =
      MakeConfig(FindType(CLASSIC_CONTROL_LIBRARY, "CartPole"), num_envs, batch_size, num_threads);
  config.autoreset_mode = mode;
  config.layout.final_rows = mode == AutoresetMode::kSameStep;
  return config;
}

class Allocations : public testing::TestWithParam<AutoresetMode> {};

// Sends each environment of a delivery what its mode wants: most of the time a step, but without
// auto-reset a reset after its last one. CartPole's episodes last some twenty steps.
class Sender {
 public:
  explicit Sender(Pool& pool) : pool_(pool), actions_(pool.AllIds().size(), 1) {
    to_step_.reserve(pool.AllIds().size());
    to_reset_.reserve(pool.AllIds().size());
  }

  void Send(const Delivery& delivery) {
    const Layout& layout = pool_.GetLayout();
    const auto ids = layout.env_id.At<std::int32_t>(delivery.block.get(), 0, delivery.rows);
    const auto over = layout.terminated.At<bool>(delivery.block.get(), 0, delivery.rows);
    const bool resets = pool_.Config().autoreset_mode == AutoresetMode::kDisabled;
    to_step_.clear();
    to_reset_.clear();
    for (std::size_t row = 0; row < ids.size(); ++row) {
      (resets && over[row] ? to_reset_ : to_step_).push_back(ids[row]);
    }
    ArrayView view = actions_.View()[0];
    view.rows = to_step_.size();
    pool_.Send({to_step_, {&view, 1}});
    pool_.SendReset({.env_ids = to_reset_});
  }

 private:
  Pool& pool_;
  Actions actions_;
  Ints to_step_;
  Ints to_reset_;
};

TEST_P(Allocations, NoneInAnAsynchronousLoop) {
  Pool pool(
      OfType(FindType(CLASSIC_CONTROL_LIBRARY, "CartPole"), CartPoleConfig(GetParam(), 64, 16, 2)));
  Sender sender(pool);
  pool.SendReset({.env_ids = pool.AllIds()});
  EXPECT_EQ(CountAllocations(5000, [&] { sender.Send(Receive(pool)); }), 0);
}

// A step of all environments, and where episodes have ended their reset.
TEST_P(Allocations, NoneInASynchronousLoop) {
  Pool pool(OfType(FindType(CLASSIC_CONTROL_LIBRARY, "CartPole"),
                   CartPoleConfig(GetParam(), 256, 256, 3)));
  const Actions actions(256, 1);
  Ints over;
  over.reserve(256);
  Reset(pool);
  const auto step = [&] {
    const Delivery delivery = pool.Step({pool.AllIds(), actions.View()}, NeverInterrupted);
    if (GetParam() != AutoresetMode::kDisabled) return;
    over.clear();
    const auto terminated =
        pool.GetLayout().terminated.At<bool>(delivery.block.get(), 0, delivery.rows);
    for (const std::int32_t id : pool.AllIds()) {
      if (terminated[static_cast<std::size_t>(id)]) over.push_back(id);
    }
    if (!over.empty()) pool.Reset({.env_ids = over}, NeverInterrupted);
  };
  EXPECT_EQ(CountAllocations(1000, step), 0);
}

INSTANTIATE_TEST_SUITE_P(Modes, Allocations,
                         testing::Values(AutoresetMode::kNextStep, AutoresetMode::kSameStep,
                                         AutoresetMode::kDisabled));

// Nor does it where batches go into the slots of a rollout.
TEST(AllocationsOfRollouts, AreNone) {
  for (const AutoresetMode mode : {AutoresetMode::kNextStep, AutoresetMode::kSameStep}) {
    Pool pool(
        OfType(FindType(CLASSIC_CONTROL_LIBRARY, "CartPole"), CartPoleConfig(mode, 256, 256, 3)));
    const Actions actions(256, 1);
    const auto slots = std::make_shared<Slots>(pool.GetLayout().bytes, 9, 9);
    pool.Reset({.env_ids = pool.AllIds(), .slots = slots.get()}, NeverInterrupted);
    slots->Fill();
    const StepRequest step{
        .env_ids = pool.AllIds(), .actions = actions.View(), .slots = slots.get()};
    const auto roll = [&] {
      for (int i = 0; i < 8; ++i) {
        pool.Step(step, NeverInterrupted);
        slots->Fill();
      }
      slots->Restart();
    };
    EXPECT_EQ(CountAllocations(100, roll), 0);
  }
}

}  // namespace
}  // namespace envpool
