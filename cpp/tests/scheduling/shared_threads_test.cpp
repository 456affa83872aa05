// Pools that share a thread pool: their results, their ends in any order, and a stress.
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

constexpr const char* kClosed = "thread_pool is closed: create another one, and pools that use it";

std::unique_ptr<Pool> MakeShared(const EnvType& type, int num_envs, int batch_size,
                                 const std::shared_ptr<ThreadPool>& threads) {
  PoolConfig config = MakeConfig(type, num_envs, batch_size, threads->NumThreads());
  config.thread_pool = threads;
  return std::make_unique<Pool>(type, config);
}

// Steps all environments so often, and expects each to count its steps.
void Play(Pool& pool, int rounds) {
  const int batches = pool.Config().num_envs / pool.Config().batch_size;
  Ints steps(pool.AllIds().size(), 0);
  pool.SendReset({.env_ids = pool.AllIds()});
  for (int batch = 0; batch < batches; ++batch) Receive(pool);
  for (int round = 0; round < rounds; ++round) {
    Send(pool, pool.AllIds(), 0);
    for (int batch = 0; batch < batches; ++batch) {
      const Delivery delivery = Receive(pool);
      const Ints ids = EnvIds(pool, delivery);
      const Ints observed = Observations(pool, delivery);
      for (std::size_t row = 0; row < ids.size(); ++row) {
        ASSERT_EQ(observed[row], ++steps[static_cast<std::size_t>(ids[row])]);
      }
    }
  }
}

class SharedThreads : public testing::TestWithParam<int> {};

TEST_P(SharedThreads, PoolsAreSteppedByManyThreadsAndCloseInAnyOrder) {
  auto threads = ThreadPool::Make(GetParam());
  std::vector<std::future<void>> players;
  for (int number = 0; number < 12; ++number) {
    players.push_back(std::async(std::launch::async, [threads, number] {
      const int num_envs = 4 << (number % 6);
      for (int life = 0; life < 5; ++life) {
        const int batch_size = (number + life) % 2 == 0 ? num_envs : num_envs / 2;
        const auto pool = MakeShared(HeldEnv::Type(), num_envs, batch_size, threads);
        Play(*pool, 40);
        pool->Close();
        Play(*pool, 5);
      }
    }));
  }
  threads.reset();  // it ends with its last pool
  for (auto& player : players) player.get();
  EXPECT_EQ(HeldEnv::alive, 0);
}

INSTANTIATE_TEST_SUITE_P(Numbers, SharedThreads, testing::Values(1, 2, 5));

// What was never stepped is left to the threads.
class ClosedUnderAPool : public testing::TestWithParam<int> {
 protected:
  ClosedUnderAPool()
      : threads_(ThreadPool::Make(1)), pool_(MakeShared(HeldEnv::Type(), 2, GetParam(), threads_)) {
    pool_->SendReset({.env_ids = pool_->AllIds()});
    for (int batch = 0; batch < 2 / GetParam(); ++batch) Receive(*pool_);
  }

  std::shared_ptr<ThreadPool> threads_;
  std::unique_ptr<Pool> pool_;
};

TEST_P(ClosedUnderAPool, CallsAreRefused) {
  threads_->Close();
  EXPECT_EQ(Refusal([&] { Send(*pool_, {0}, 0); }), kClosed);
  EXPECT_EQ(Refusal([&] { pool_->SendReset({.env_ids = pool_->AllIds()}); }), kClosed);
  EXPECT_EQ(pool_->GetElapsedSteps(), (Ints{0, 0})) << "what needs no threads goes on";
  pool_->Close();
  EXPECT_EQ(Refusal([&] { Send(*pool_, {0}, 0); }), kClosed);
}

TEST_P(ClosedUnderAPool, AReceiveThatWaitsIsToldSo) {
  HeldEnv::Hold hold;
  Send(*pool_, {0, 1}, 1);
  hold.Await(1);
  auto close = std::async(std::launch::async, [&] { threads_->Close(); });
  while (Refusal([&] { threads_->CheckOpen(); }).empty()) std::this_thread::yield();
  hold.Release();
  close.get();
  if (GetParam() == 1) Receive(*pool_);  // what was under way has come to its end
  EXPECT_EQ(Refusal([&] { Receive(*pool_); }), kClosed);
  pool_->Close();
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, ClosedUnderAPool, testing::Values(2, 1));

TEST(SharedThreadsConfig, ConfigurationsThatContradictThemselvesAreRefused) {
  const auto threads = ThreadPool::Make(2);
  PoolConfig config = MakeConfig(HeldEnv::Type(), 2, 2, 3);
  config.thread_pool = threads;
  EXPECT_EQ(Refusal([&] { Pool(HeldEnv::Type(), config); }),
            "num_threads is 3, expected the thread pool's");
  threads->Close();
  EXPECT_EQ(Refusal([&] { MakeShared(HeldEnv::Type(), 2, 2, threads); }), kClosed);
}

}  // namespace
}  // namespace envpool
