// The ends of pools and of their constructors, when they are interrupted.
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/executor/pool_fixture.h"
#include "threads/threads.h"

namespace envpool {
namespace {

constexpr std::int32_t kHeld = 1;  // the action of a step that is held

constexpr const char* kClosing =
    "the pool is being closed, and some environments still run: close() waits for them";

std::unique_ptr<Pool> MakeHeldPool(int num_envs, int batch_size, int num_threads) {
  return std::make_unique<Pool>(
      OfType(HeldEnv::Type(), MakeConfig(HeldEnv::Type(), num_envs, batch_size, num_threads)));
}

// An environment whose making ends once the test lets it.
class SlowToMake final : public Env {
 public:
  explicit SlowToMake(const Options&) {
    ++begun;
    while (is_held) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++alive;
  }
  ~SlowToMake() override { --alive; }
  void Reset(Random&, const Options&) override {}
  StepResult Step(const Action&, Random&) override { return {}; }
  void Observe(const Row&) const override {}
  void Serialize(Archive&) override {}

  static inline std::atomic<bool> is_held = true;
  static inline std::atomic<int> begun = 0;
  static inline std::atomic<int> alive = 0;
};

TEST(Constructor, AnInterruptEndsItAndLeavesNothing) {
  const EnvType type{.name = "SlowToMake",
                     .options = {},
                     .reset_options = {},
                     .spec = HeldEnv::MakeSpec,
                     .create = Create<SlowToMake>};
  const auto interrupt = [] {
    if (SlowToMake::begun > 0) throw Interrupted();
  };
  const PoolConfig config = MakeConfig(type, 100, 100, 1);
  EXPECT_THROW(Pool(OfType(type, config), interrupt), Interrupted);
  EXPECT_EQ(SlowToMake::alive, 0) << "nobody waits for it";
  EXPECT_EQ(RunningThreads(), 1);
  SlowToMake::is_held = false;
  while (RunningThreads() > 0) std::this_thread::yield();
  EXPECT_EQ(SlowToMake::begun, 1);
  EXPECT_EQ(SlowToMake::alive, 0);
  const Pool pool(OfType(type, config));
  EXPECT_EQ(SlowToMake::alive, 100);
}

// Four environments of which the last two are held in their first step, one by each thread: what
// was never stepped is taken to be slow.
class InterruptedClose : public testing::TestWithParam<int> {
 protected:
  InterruptedClose() : pool_(MakeHeldPool(4, GetParam(), 2)) {
    pool_->SendReset({.env_ids = pool_->AllIds()});
    for (int batch = 0; batch < 4 / GetParam(); ++batch) Receive(*pool_);
    Send(*pool_, {2, 3}, kHeld);
    hold_.Await(2);
    EXPECT_THROW(pool_->Close(InterruptAtOnce), Interrupted);
  }

  // The held steps ran to their end, but nobody gets their results.
  void ExpectEverythingGoesOn() {
    EXPECT_NE(Refusal([this] { Receive(*pool_); }).find("there are 0"), std::string::npos);
    EXPECT_EQ(pool_->Loans().GetElapsedSteps(), (Ints{0, 0, 1, 1}));
    Send(*pool_, pool_->AllIds(), 0);
    Ints steps(4, 0);
    for (int batch = 0; batch < 4 / GetParam(); ++batch) {
      const Delivery delivery = Receive(*pool_);
      const Ints ids = EnvIds(*pool_, delivery);
      for (std::size_t row = 0; row < ids.size(); ++row) {
        steps[static_cast<std::size_t>(ids[row])] = Observations(*pool_, delivery)[row];
      }
    }
    EXPECT_EQ(steps, (Ints{1, 1, 2, 2}));
  }

  std::unique_ptr<Pool> pool_;
  HeldEnv::Hold hold_;  // ends before the pool, which waits for what is held
};

TEST_P(InterruptedClose, RefusesEverythingUntilTheEnvironmentsAreDone) {
  const Ints idle = {0, 1};
  const std::vector<std::function<void()>> calls = {
      [&] { Send(*pool_, idle, 0); },
      [&] { pool_->Step({idle, Actions(2, 0).View()}, NeverInterrupted); },
      [&] { pool_->SendReset({.env_ids = idle}); },
      [&] { pool_->Reset({.env_ids = idle}, NeverInterrupted); },
      [&] { Receive(*pool_); },
      [&] { pool_->Receive(std::chrono::seconds(60), NeverInterrupted); },
      [&] { pool_->Loans().GetState(idle); },
      [&] { pool_->Loans().SetState(idle, {}); },
      [&] { pool_->Loans().SetOptions(idle, {{}, {}}); },
      [&] { pool_->Loans().GetRandom(); },
      [&] { pool_->Loans().GetElapsedSteps(); },
  };
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(Refusal(calls[i]), kClosing) << i;
  EXPECT_EQ(pool_->Stats(false).Steps(), 0) << "none has ended";
  EXPECT_EQ(pool_->Loans().GetOptions(pool_->AllIds()).size(), 4U);
  EXPECT_THROW(pool_->Close(InterruptAtOnce), Interrupted);
  EXPECT_EQ(Refusal(calls[0]), kClosing);

  hold_.Release();
  while (Refusal([this] { pool_->Loans().GetElapsedSteps(); }) == kClosing)
    std::this_thread::yield();
  ExpectEverythingGoesOn();
}

TEST_P(InterruptedClose, AnotherCloseWaitsForThem) {
  auto close = std::async(std::launch::async, [this] { pool_->Close(); });
  EXPECT_EQ(close.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  hold_.Release();
  close.get();
  EXPECT_EQ(pool_->Stats(false).Steps(), 2);
  ExpectEverythingGoesOn();
}

TEST_P(InterruptedClose, TheDestructorWaitsForThem) {
  auto end = std::async(std::launch::async, [this] { pool_.reset(); });
  EXPECT_EQ(end.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  hold_.Release();
  end.get();
  EXPECT_EQ(HeldEnv::alive, 0);
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, InterruptedClose, testing::Values(4, 2));

// The first call after an interrupted close ends what that left, at the same time as the other
// close ends it.
TEST(Close, MayMeetACallThatStartsThePoolAnew) {
  const auto pool = MakeHeldPool(2, 1, 2);
  for (int round = 0; round < 20; ++round) {
    {
      HeldEnv::Hold hold;
      pool->SendReset({.env_ids = pool->AllIds()});
      Receive(*pool);
      Receive(*pool);
      Send(*pool, {0, 1}, kHeld);
      hold.Await(2);
      EXPECT_THROW(pool->Close(InterruptAtOnce), Interrupted);
    }
    while (pool->Stats(false).Steps() < 2 * (round + 1)) std::this_thread::yield();
    std::atomic<bool> go = false;
    auto close = std::async(std::launch::async, [&] {
      while (!go) Pause();
      pool->Close();
    });
    go = true;
    // May be refused, as the pool is being closed.
    Refusal([&] { pool->SendReset({.env_ids = Ints{0}}); });
    close.get();
    pool->Close();
  }
}

// Nothing that belongs to a call which was told of it, either: the next one begins anew.
TEST(Close, LeavesNoResultsToThoseWhoStepMeanwhile) {
  const auto pool = MakeHeldPool(2, 2, 1);
  const Actions actions(2, 0);
  pool->Reset({.env_ids = pool->AllIds()}, NeverInterrupted);
  std::atomic<int> closes = 0;
  std::string other;
  auto steps = std::async(std::launch::async, [&] {
    while (closes < 300) {
      const std::string refusal =
          Refusal([&] { pool->Step({pool->AllIds(), actions.View()}, NeverInterrupted); });
      if (refusal.find("closed") == std::string::npos && !refusal.empty()) other = refusal;
    }
  });
  while (closes < 300) {
    pool->Close();
    ++closes;
    std::this_thread::sleep_for(std::chrono::microseconds(closes % 50));
  }
  steps.get();
  EXPECT_EQ(other, "");
  EXPECT_FALSE(pool->HasOpen());
  pool->Step({pool->AllIds(), actions.View()}, NeverInterrupted);
}

// What was only to be observed has nothing to make up for.
TEST(Close, ForgetsThatEnvironmentsWereToBeObserved) {
  const auto pool = MakeHeldPool(3, 3, 1);
  Reset(*pool);
  Step(*pool, 0);
  HeldEnv::Hold hold;
  Send(*pool, {0}, kHeld);  // the only thread is busy with it
  hold.Await(1);
  EXPECT_EQ(Refusal([&] { pool->SendReset({.env_ids = Ints{1}, .observe_others = true}); }),
            "environment 0 is already running: recv() its result first");
  hold.Release();
  EXPECT_EQ(EnvIds(*pool, Receive(*pool)), Ints{0});
  pool->SendReset({.env_ids = Ints{1}, .observe_others = true});
  pool->Close();
  // Whether or not it was reset already.
  EXPECT_EQ(Observations(*pool, pool->Step({Ints{0, 2}, Actions(2, 0).View()}, NeverInterrupted)),
            (Ints{3, 2}));
}

}  // namespace
}  // namespace envpool
