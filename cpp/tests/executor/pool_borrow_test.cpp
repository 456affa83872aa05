// States, options and pictures of some environments take long, and what else happens meanwhile.
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

constexpr const char* kClosing =
    "the pool is being closed, and some environments still run: close() waits for them";

// A call that reads, writes or draws the states of environments.
struct Call {
  std::string name;    // in Python
  std::string status;  // what it does to an environment, for others
  std::function<void(Pool& pool, const Ints& ids, Interrupt interrupt)> run;
};

const std::vector<Call>& Calls() {
  static const std::vector<Call> calls = {
      {"get_state()", "saved",
       [](Pool& pool, const Ints& ids, Interrupt interrupt) {
         pool.Loans().GetState(ids, interrupt);
       }},
      {"set_state()", "changed",
       [](Pool& pool, const Ints& ids, Interrupt interrupt) {
         // The state of a HeldEnv that was reset, and no more.
         static const std::string state = [] {
           Pool fresh(OfType(HeldEnv::Type(), MakeConfig(HeldEnv::Type(), 1, 1, 1)));
           Reset(fresh);
           return fresh.Loans().GetState(fresh.AllIds())[0];
         }();
         pool.Loans().SetState(ids, std::vector<std::string_view>(ids.size(), state), interrupt);
       }},
      {"set_attr()", "changed",
       [](Pool& pool, const Ints& ids, Interrupt interrupt) {
         pool.Loans().SetOptions(ids, std::vector<Options>(ids.size()), interrupt);
       }},
      {"render()", "rendered",
       [](Pool& pool, const Ints& ids, Interrupt interrupt) {
         pool.Loans().Render(ids, {1, 1}, -1, interrupt);
       }},
  };
  return calls;
}

class Borrow : public testing::TestWithParam<std::size_t> {
 protected:
  Borrow() : call_(Calls()[GetParam()]), pool_(MakePool(4, 2, 1)) {
    const auto warm = MakePool(1, 1, 1);
    call_.run(*warm, {0}, NeverInterrupted);  // what it prepares once is not held
  }

  static std::unique_ptr<Pool> MakePool(int num_envs, int batch_size, int num_threads) {
    auto pool = std::make_unique<Pool>(
        OfType(HeldEnv::Type(), MakeConfig(HeldEnv::Type(), num_envs, batch_size, num_threads)));
    pool->SendReset({.env_ids = pool->AllIds()});
    for (int batch = 0; batch < num_envs / batch_size; ++batch) Receive(*pool);
    return pool;
  }

  // The call in a thread of its own, held in its first environment.
  std::future<void> StartHeld(const Ints& ids, Interrupt interrupt = NeverInterrupted) {
    is_begun = false;
    hold_.HoldStates();
    auto call = std::async(std::launch::async,
                           [this, ids, interrupt] { call_.run(*pool_, ids, interrupt); });
    hold_.Await(1);
    is_begun = true;
    return call;
  }

  static inline std::atomic<bool> is_begun = false;  // environments are borrowed

  const Call& call_;
  std::unique_ptr<Pool> pool_;
  HeldEnv::Hold hold_;
};

TEST_P(Borrow, OtherEnvironmentsGoOnAndTheseAreRefused) {
  auto held = StartHeld({0, 1});
  const std::string state(1, 'x');
  const std::vector<std::function<void()>> calls = {
      [&] { Send(*pool_, {2, 0}, 0); },
      [&] { Send(*pool_, pool_->AllIds(), 0); },
      [&] { pool_->SendReset({.env_ids = Ints{0}}); },
      [&] { pool_->Reset({.env_ids = pool_->AllIds()}, NeverInterrupted); },
      [&] { pool_->Loans().GetState(Ints{0}); },
      [&] { pool_->Loans().SetState(Ints{3, 0}, std::vector<std::string_view>{state, state}); },
      [&] { pool_->Loans().SetOptions(Ints{0}, {{}}); },
      [&] { pool_->Loans().GetRandom(); },
      [&] { pool_->Loans().GetElapsedSteps(); },
      [&] { pool_->Loans().Render(Ints{0}, {1, 1}, -1, NeverInterrupted); },
      [&] { pool_->Loans().Describe(Ints{0}, NeverInterrupted); },
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(Refusal(calls[i]),
              "environment 0 is being " + call_.status + " by another call: wait for it first")
        << i;
  }
  Send(*pool_, {2, 3}, 0);
  EXPECT_EQ(Observations(*pool_, Receive(*pool_)), (Ints{1, 1}));
  EXPECT_EQ(pool_->Loans().GetOptions(pool_->AllIds()).size(), 4U);
  EXPECT_EQ(pool_->Stats(false).Steps(), 2);
  EXPECT_EQ(held.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  hold_.Release();
  held.get();
  EXPECT_EQ(pool_->Loans().GetElapsedSteps(), (Ints{0, 0, 1, 1}));
  Send(*pool_, pool_->AllIds(), 0);
}

TEST_P(Borrow, AnInterruptLeavesWhatWasBegunAndSkipsTheRest) {
  auto held = StartHeld({0, 1, 2, 3}, [] {
    if (is_begun) throw Interrupted();
  });
  EXPECT_THROW(held.get(), Interrupted);
  EXPECT_EQ(hold_.Count(), 1);
  EXPECT_EQ(Refusal([&] { Send(*pool_, {3}, 0); }),
            "environment 3 is being " + call_.status + " by another call: wait for it first");
  hold_.Release();
  while (!Refusal([&] { Send(*pool_, pool_->AllIds(), 0); }).empty()) std::this_thread::yield();
  EXPECT_EQ(Observations(*pool_, Receive(*pool_)), (Ints{1, 1}));
  EXPECT_EQ(hold_.Count(), 1);
}

// Python's signal handlers run in an interrupt.
TEST_P(Borrow, AnInterruptMayUseThePoolButNotCloseIt) {
  static Pool* pool = nullptr;
  static std::string closed;
  static std::string stepped;
  static Ints observed;
  pool = pool_.get();
  observed.clear();
  auto held = StartHeld({0, 1}, [] {
    if (!is_begun || !observed.empty()) return;
    closed = Refusal([] { pool->Close(); });
    stepped = Refusal([] { Send(*pool, {1}, 0); });
    Send(*pool, {2, 3}, 0);
    observed = Observations(*pool, Receive(*pool));
  });
  std::this_thread::sleep_for(2 * kInterruptPeriod);
  hold_.Release();
  held.get();
  EXPECT_EQ(closed, "the pool was called by a signal handler during another call");
  EXPECT_EQ(stepped,
            "environment 1 is being " + call_.status + " by another call: wait for it first");
  EXPECT_EQ(observed, (Ints{1, 1}));
}

TEST_P(Borrow, CloseWaitsAndTheRestIsLeftOut) {
  auto held = StartHeld({0, 1, 2});
  auto close = std::async(std::launch::async, [this] { pool_->Close(); });
  EXPECT_EQ(close.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  EXPECT_EQ(Refusal([&] { pool_->Loans().GetState(Ints{3}); }), kClosing);
  hold_.Release();
  EXPECT_EQ(Refusal([&] { held.get(); }), "the pool was closed during " + call_.name);
  close.get();
  EXPECT_EQ(pool_->Loans().GetElapsedSteps(), Ints(4, 0));
}

TEST_P(Borrow, AnInterruptedCloseLeavesThePoolRefusingUntilItIsDone) {
  auto held = StartHeld({0});
  EXPECT_THROW(pool_->Close(InterruptAtOnce), Interrupted);
  EXPECT_EQ(Refusal([&] { Send(*pool_, {3}, 0); }), kClosing);
  hold_.Release();
  held.get();
  while (Refusal([&] { pool_->Loans().GetState(Ints{0}); }) == kClosing) std::this_thread::yield();
  Send(*pool_, pool_->AllIds(), 0);
}

TEST_P(Borrow, TheDestructorWaits) {
  const int others = HeldEnv::alive - 4;
  auto held = StartHeld({0});
  auto end = std::async(std::launch::async, [this] { pool_.reset(); });
  EXPECT_EQ(end.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  hold_.Release();
  held.wait();
  end.get();
  EXPECT_EQ(HeldEnv::alive, others);
}

INSTANTIATE_TEST_SUITE_P(Calls, Borrow, testing::Values(0, 1, 2, 3));

// Many calls for the same environments: they refuse each other, nothing else.
TEST(Stress, StatesOptionsAndPicturesFromManyThreads) {
  const EnvType& type = TestType("Canvas");
  Pool pool(OfType(type, MakeConfig(type, 8, 2, 3)));
  const auto first = pool.Loans().GetState(pool.AllIds());
  std::atomic<bool> is_over = false;
  std::atomic<int> done = 0;
  const auto repeat = [&](auto call) {
    return std::async(std::launch::async, [&is_over, &done, call] {
      for (std::int32_t round = 0; !is_over; ++round) {
        done += Refusal([&] { call(round % 7); }).empty();
      }
    });
  };
  std::vector<std::future<void>> threads;
  threads.push_back(repeat([&](std::int32_t id) { pool.Loans().GetState(Ints{id, id + 1}); }));
  threads.push_back(repeat([&](std::int32_t id) {
    const std::string_view state = first[static_cast<std::size_t>(id)];
    pool.Loans().SetState(Ints{id + 1, id}, std::vector<std::string_view>{state, state});
  }));
  threads.push_back(
      repeat([&](std::int32_t id) { pool.Loans().SetOptions(Ints{id}, {Options(type.options)}); }));
  threads.push_back(repeat([&](std::int32_t) { pool.Loans().GetOptions(pool.AllIds()); }));
  for (int thread = 0; thread < 2; ++thread) {
    threads.push_back(repeat([&](std::int32_t id) {
      pool.Loans().Render(Ints{id + 1, id}, {4, 3}, -1, NeverInterrupted);
    }));
  }
  threads.push_back(repeat([&](std::int32_t id) {
    if (id == 5) pool.SendReset({.env_ids = Ints{id}});
    Send(pool, {id}, 0);
    pool.Receive(std::chrono::milliseconds(1), NeverInterrupted);
  }));
  threads.push_back(repeat([&](std::int32_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    pool.Close();
  }));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  is_over = true;
  for (auto& thread : threads) thread.get();
  EXPECT_GT(done, 0);
  pool.Close();
  pool.SendReset({.env_ids = pool.AllIds()});
  for (int batch = 0; batch < 4; ++batch) EXPECT_EQ(Receive(pool).rows, 2U);
}

}  // namespace
}  // namespace envpool
