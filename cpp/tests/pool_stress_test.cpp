// Many threads, random partial batches, and a checksum per environment.
#include <algorithm>
#include <atomic>
#include <future>
#include <random>

#include "pool_fixture.h"

namespace envpool {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kBatches = 10000;
#else
constexpr int kBatches = 30000;
#endif

using Ints = std::vector<std::int32_t>;

// The observation of the Counting environment follows from how often it was stepped.
class Ledger {
 public:
  explicit Ledger(int num_envs) : steps_(static_cast<std::size_t>(num_envs), -1) {}

  void Check(const Pool& pool, const Delivery& delivery) {
    const Ints ids = EnvIds(pool, delivery);
    const auto observed = ColumnOf<std::int32_t>(delivery, pool.GetLayout().observation[0]);
    for (std::size_t row = 0; row < ids.size(); ++row) {
      auto& step = steps_[static_cast<std::size_t>(ids[row])];
      step = (step + 1) % 11;  // episodes of ten steps, then one that resets
      ASSERT_EQ(observed[row], step) << "environment " << ids[row];
    }
  }

 private:
  std::vector<int> steps_;
};

struct Case {
  int num_envs;
  int batch_size;
  int num_threads;
};

class PoolStress : public testing::TestWithParam<Case> {};

// One thread receives and sends again, in one or two parts.
TEST_P(PoolStress, NoRequestIsLostOrRunTwice) {
  const auto [num_envs, batch_size, num_threads] = GetParam();
  const auto pool = MakePool("Counting", num_envs, batch_size, num_threads);
  Ledger ledger(num_envs);
  std::mt19937 random(1);
  const Actions actions(static_cast<std::size_t>(num_envs), 1);
  const auto send = [&](std::span<const std::int32_t> ids) {
    ArrayView view = actions.View()[0];
    view.rows = ids.size();
    pool->Send(ids, {&view, 1});
  };
  send(pool->AllIds());
  for (int i = 0; i < kBatches; ++i) {
    const Delivery delivery = Receive(*pool);
    ledger.Check(*pool, delivery);
    Ints ids = EnvIds(*pool, delivery);
    std::ranges::shuffle(ids, random);
    const std::size_t cut = random() % (ids.size() + 1);
    send(std::span(ids).first(cut));
    send(std::span(ids).subspan(cut));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, PoolStress,
                         testing::Values(Case{1, 1, 1}, Case{16, 16, 3}, Case{16, 4, 1},
                                         Case{17, 5, 4}, Case{200, 3, 2}, Case{200, 200, 4},
                                         Case{8, 7, 8}));

// Some threads send, others receive and hand the idle environments back through a queue.
void ShareAmongThreads(int batch_size) {
  constexpr int kEnvs = 32;
  const auto pool = MakePool("Counting", kEnvs, batch_size, 3);
  std::mutex mutex;
  Ints idle = pool->AllIds();
  std::vector<std::int64_t> seen(kEnvs, 0);
  std::atomic<int> batches = 0;
  std::atomic<std::int64_t> sent = 0;
  const auto sender = [&] {
    while (batches.load() < kBatches) {
      Ints ids;
      {
        const std::lock_guard lock(mutex);
        ids.assign(idle.end() - std::min<std::ptrdiff_t>(3, std::ssize(idle)), idle.end());
        idle.resize(idle.size() - ids.size());
      }
      if (ids.empty()) {
        std::this_thread::yield();
        continue;
      }
      sent += std::ssize(ids);
      pool->Send(ids, Actions(ids.size(), 1).View());
    }
  };
  const auto receiver = [&] {
    while (batches.load() < kBatches) {
      const auto delivery = pool->Receive(std::chrono::milliseconds(10), NeverInterrupted);
      if (!delivery) continue;
      batches.fetch_add(1);
      const Ints ids = EnvIds(*pool, *delivery);
      if (batch_size < kEnvs) {
        ASSERT_EQ(std::ssize(ids), batch_size);
      }
      const std::lock_guard lock(mutex);
      for (const std::int32_t id : ids) ++seen[static_cast<std::size_t>(id)];
      idle.insert(idle.end(), ids.begin(), ids.end());
    }
  };
  std::vector<std::future<void>> threads;
  for (int i = 0; i < 3; ++i) threads.push_back(std::async(std::launch::async, sender));
  for (int i = 0; i < 2; ++i) threads.push_back(std::async(std::launch::async, receiver));
  for (auto& thread : threads) thread.get();
  const auto received = std::accumulate(seen.begin(), seen.end(), std::int64_t{0});
  EXPECT_LE(received, sent.load());
  EXPECT_GE(received, sent.load() - kEnvs) << "more results are missing than can be in flight";
  EXPECT_GE(*std::ranges::min_element(seen), 1);
}

TEST(PoolStress, ManySendersAndReceiversShareAnAsynchronousPool) { ShareAmongThreads(4); }

TEST(PoolStress, ManySendersAndReceiversShareASynchronousPool) { ShareAmongThreads(32); }

// Two threads step disjoint halves of a synchronous pool at the same time.
TEST(PoolStress, ConcurrentStepsAreSerialised) {
  const auto pool = MakePool("Counting", 8, 8, 2);
  Reset(*pool);
  const auto run = [&](const Ints& ids) {
    for (int i = 0; i < kBatches / 10; ++i) {
      const Delivery delivery = pool->Step(ids, Actions(ids.size(), 1).View(), NeverInterrupted);
      ASSERT_EQ(EnvIds(*pool, delivery), ids);
      const auto steps = ColumnOf<std::int32_t>(delivery, pool->GetLayout().elapsed_step);
      ASSERT_EQ(steps, Ints(ids.size(), (i + 1) % 11));
    }
  };
  auto other = std::async(std::launch::async, [&] { run({1, 3, 5, 7}); });
  run({6, 4, 2, 0});
  other.get();
}

// Pools come and go with work in flight.
TEST(PoolStress, PoolsEndWithWorkInFlight) {
  for (int i = 0; i < 300; ++i) {
    const auto pool = MakePool("Counting", 16, i % 2 == 0 ? 16 : 5, 1 + i % 4);
    pool->SendReset({.env_ids = pool->AllIds()});
    if (i % 3 == 0) Receive(*pool);
  }
}

}  // namespace
}  // namespace envpool
