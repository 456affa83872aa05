// Many threads, random partial batches, and a checksum per environment.
#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kBatches = 10000;
#else
constexpr int kBatches = 30000;
#endif

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
    pool->Send({ids, {&view, 1}});
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
      pool->Send({ids, Actions(ids.size(), 1).View()});
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
      const Delivery delivery = pool->Step({ids, Actions(ids.size(), 1).View()}, NeverInterrupted);
      ASSERT_EQ(EnvIds(*pool, delivery), ids);
      const auto steps = ColumnOf<std::int32_t>(delivery, pool->GetLayout().elapsed_step);
      ASSERT_EQ(steps, Ints(ids.size(), (i + 1) % 11));
    }
  };
  auto other = std::async(std::launch::async, [&] { run({1, 3, 5, 7}); });
  run({6, 4, 2, 0});
  other.get();
}

// What a Counting environment must show next, in episodes of ten steps.
struct Counter {
  std::int32_t step = 0;
  bool is_over = true;
  bool has_ended = false;

  void Reset() { *this = {.is_over = false}; }

  void Step(AutoresetMode mode) {
    if (is_over) return Reset();
    ++step;
    has_ended = is_over = step == 10;
    if (has_ended && mode == AutoresetMode::kSameStep)
      *this = {.is_over = false, .has_ended = true};
  }
};

// Everything at once, from many threads. Whoever takes an environment out of idle_ owns it, with
// its counter, until it is sent; and from its receiving on.
class Everything : public testing::TestWithParam<std::tuple<AutoresetMode, int>> {
 protected:
  static constexpr int kEnvs = 32;

  Everything()
      : mode_(std::get<0>(GetParam())),
        batch_size_(std::get<1>(GetParam())),
        pool_(OfType(TestType("Counting"), CountingConfig(mode_, Ints(kEnvs, 10), batch_size_, 3))),
        first_states_(pool_.Loans().GetState(pool_.AllIds())),
        counters_(kEnvs),
        idle_(pool_.AllIds()) {}

  Ints TakeSome(std::mt19937& random) {
    const std::lock_guard lock(mutex_);
    const std::size_t count = std::min<std::size_t>(1 + random() % 4, idle_.size());
    const Ints ids(idle_.end() - static_cast<std::ptrdiff_t>(count), idle_.end());
    idle_.resize(idle_.size() - count);
    return ids;
  }

  void GiveBack(const Ints& ids) {
    const std::lock_guard lock(mutex_);
    idle_.insert(idle_.begin(), ids.begin(), ids.end());
  }

  Counter& CounterOf(std::int32_t id) { return counters_[static_cast<std::size_t>(id)]; }

  // Gives the environments each other's states.
  void Rotate(const Ints& ids) {
    const std::vector<std::string> states = pool_.Loans().GetState(ids);
    std::vector<std::string_view> rotated(states.begin(), states.end());
    std::ranges::rotate(rotated, rotated.begin() + 1);
    pool_.Loans().SetState(ids, rotated);
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      std::swap(CounterOf(ids[i]), CounterOf(ids[i + 1]));
    }
  }

  void Produce(unsigned seed) {
    std::mt19937 random(seed);
    while (!is_over_) {
      const Ints ids = TakeSome(random);
      if (ids.empty()) {
        std::this_thread::yield();
        continue;
      }
      if (random() % 4 == 0) Rotate(ids);
      const bool must_reset =
          mode_ == AutoresetMode::kDisabled &&
          std::ranges::any_of(ids, [this](std::int32_t id) { return CounterOf(id).is_over; });
      const bool is_reset = must_reset || random() % 8 == 0;
      for (const std::int32_t id : ids) {
        is_reset ? CounterOf(id).Reset() : CounterOf(id).Step(mode_);
      }
      if (is_reset) {
        pool_.SendReset({.env_ids = ids});
      } else {
        Send(pool_, ids, 1);
      }
    }
  }

  void Consume() {
    while (!is_over_) {
      const auto delivery = pool_.Receive(std::chrono::milliseconds(2), NeverInterrupted);
      if (!delivery) continue;
      Check(*delivery);
      GiveBack(EnvIds(pool_, *delivery));
      ++batches_;
    }
  }

  void Check(const Delivery& delivery) {
    const Layout& layout = pool_.GetLayout();
    const Ints ids = EnvIds(pool_, delivery);
    const Ints observed = Observations(pool_, delivery);
    const auto elapsed = ColumnOf<std::int32_t>(delivery, layout.elapsed_step);
    const auto terminated = ColumnOf<bool>(delivery, layout.terminated);
    for (std::size_t row = 0; row < ids.size(); ++row) {
      const Counter& counter = CounterOf(ids[row]);
      ASSERT_EQ(observed[row], counter.step) << "environment " << ids[row];
      ASSERT_EQ(elapsed[row], counter.step);
      ASSERT_EQ(terminated[row], counter.has_ended);
      if (counter.has_ended && mode_ == AutoresetMode::kSameStep) {
        ASSERT_EQ(ColumnOf<std::int32_t>(delivery, layout.finals.observation[0])[row], 10);
      }
    }
  }

  void WatchStats() {
    std::int64_t steps = 0;
    while (!is_over_) {
      const std::int64_t now = pool_.Stats(false).Steps();
      ASSERT_GE(now, steps);
      steps = now;
    }
  }

  // Until a number of batches was received and the pool is closed in the midst of it all.
  void Round(unsigned seed) {
    is_closing_ = is_over_ = false;
    const int last = batches_ + kBatches / 30;
    const auto start = [this](auto work) {
      return std::async(std::launch::async, [this, work] {
        // What a call says that the close has overtaken.
        const std::string refusal = Refusal(work);
        if (is_closing_) return;
        ADD_FAILURE() << refusal;
        is_closing_ = true;
      });
    };
    std::vector<std::future<void>> threads;
    for (unsigned i = 0; i < 2; ++i) threads.push_back(start([=, this] { Produce(seed + i); }));
    for (int i = 0; i < 2; ++i) threads.push_back(start([this] { Consume(); }));
    threads.push_back(start([this] { WatchStats(); }));
    while (batches_ < last && !is_closing_) std::this_thread::yield();
    is_closing_ = true;
    pool_.Close();
    is_over_ = true;
    for (auto& thread : threads) thread.get();
    pool_.Close();  // those that were not in a call have gone on and started it anew
  }

  // The close has forgotten what was in flight: these environments start over.
  void Recover() {
    for (const std::int32_t id : pool_.AllIds()) {
      if (std::ranges::count(idle_, id) > 0) continue;
      const std::string_view state = first_states_[static_cast<std::size_t>(id)];
      pool_.Loans().SetState(Ints{id}, {&state, 1});
      CounterOf(id) = {};
      idle_.push_back(id);
    }
  }

  const AutoresetMode mode_;
  const int batch_size_;
  Pool pool_;
  const std::vector<std::string> first_states_;
  std::vector<Counter> counters_;
  std::mutex mutex_;
  Ints idle_;
  std::atomic<bool> is_closing_ = false;  // calls may be refused
  std::atomic<bool> is_over_ = false;
  std::atomic<int> batches_ = 0;
};

TEST_P(Everything, AtOnceAndClosedInTheMidst) {
  for (unsigned round = 0; round < 10 && !HasFailure(); ++round) {
    Round(round);
    Recover();
  }
}

INSTANTIATE_TEST_SUITE_P(ModesAndBatchSizes, Everything,
                         testing::Combine(testing::Values(AutoresetMode::kNextStep,
                                                          AutoresetMode::kSameStep,
                                                          AutoresetMode::kDisabled),
                                          testing::Values(32, 4)));

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
