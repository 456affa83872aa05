// A call for many environments: on which threads, and how it is cut short.
#include "threads/visits.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

using std::chrono::milliseconds;

const std::atomic<int> kOpen = 0;

// The threads of the visits, by index.
class Log {
 public:
  explicit Log(std::size_t count) : threads_(count) {}
  void Add(std::size_t index) { threads_[index] = std::this_thread::get_id(); }
  bool IsHere(std::size_t index) const { return threads_[index] == std::this_thread::get_id(); }
  std::size_t Count() const {
    return threads_.size() -
           static_cast<std::size_t>(std::ranges::count(threads_, std::thread::id()));
  }
  std::size_t NumThreads() const {
    return std::set<std::thread::id>(threads_.begin(), threads_.end()).size();
  }

 private:
  std::vector<std::thread::id> threads_;
};

TEST(Visits, HappenElsewhereInTheirOrder) {
  Log log(5);
  Ints order;
  const auto visit = [&](std::size_t index) {
    log.Add(index);
    order.push_back(static_cast<std::int32_t>(index));
  };
  EXPECT_TRUE(Visits({.count = 5}, visit, kOpen).Run(NeverInterrupted));
  EXPECT_EQ(order, (Ints{0, 1, 2, 3, 4}));
  EXPECT_EQ(log.NumThreads(), 1U);
  EXPECT_FALSE(log.IsHere(0));
  EXPECT_TRUE(Visits({.count = 0, .most_threads = 4}, visit, kOpen).Run(NeverInterrupted));
}

TEST(Visits, HappenAtTheSameTimeOnThreads) {
  Log log(6);
  std::atomic<int> present = 0;
  const auto visit = [&](std::size_t index) {
    log.Add(index);
    ++present;
    while (index < 3 && present < 3) std::this_thread::yield();  // three meet
  };
  EXPECT_TRUE(Visits({.count = 6, .most_threads = 3}, visit, kOpen).Run(NeverInterrupted));
  EXPECT_EQ(log.Count(), 6U);
  EXPECT_EQ(log.NumThreads(), 3U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_FALSE(log.IsHere(i));
}

TEST(Visits, StartNoThreadsForWhatIsQuick) {
  Log log(100);
  const auto visit = [&](std::size_t index) { log.Add(index); };
  const Visits::Config config{.count = 100, .most_threads = 4, .alone = std::chrono::seconds(60)};
  EXPECT_TRUE(Visits(config, visit, kOpen).Run(NeverInterrupted));
  EXPECT_EQ(log.NumThreads(), 1U);
  EXPECT_TRUE(log.IsHere(0));
}

TEST(Visits, StartThreadsOnceItTakesLong) {
  Log log(8);
  const auto visit = [&](std::size_t index) {
    log.Add(index);
    std::this_thread::sleep_for(milliseconds(5));
  };
  const Visits::Config config{.count = 8, .most_threads = 2, .alone = milliseconds(1)};
  EXPECT_TRUE(Visits(config, visit, kOpen).Run(NeverInterrupted));
  EXPECT_EQ(log.Count(), 8U);
  EXPECT_TRUE(log.IsHere(0));
  for (std::size_t i = 1; i < 8; ++i) EXPECT_FALSE(log.IsHere(i));
}

class VisitThreads : public testing::TestWithParam<std::size_t> {};

TEST(Visits, AreInterruptedBetweenTwoOfTheCallingThread) {
  Log log(100);
  const auto visit = [&](std::size_t index) {
    log.Add(index);
    std::this_thread::sleep_for(milliseconds(10));
  };
  const Visits::Config config{.count = 100, .alone = std::chrono::seconds(60)};
  EXPECT_THROW(Visits(config, visit, kOpen).Run(InterruptAtOnce), Interrupted);
  EXPECT_GE(log.Count(), 1U);
  EXPECT_LT(log.Count(), 100U);
}

// Whatever they own ends before the caller goes on, so that it finds it free.
TEST_P(VisitThreads, HaveGivenBackWhatTheyOwn) {
  for (int round = 0; round < 50; ++round) {
    const auto owned = std::make_shared<int>(0);
    Visits visits({.count = 20, .most_threads = GetParam()}, [owned](std::size_t) {}, kOpen);
    EXPECT_TRUE(visits.Run(NeverInterrupted));
    ASSERT_EQ(owned.use_count(), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Numbers, VisitThreads, testing::Values(1, 2, 7));

TEST(Visits, TellOfTheLongest) {
  const auto visit = [](std::size_t index) {
    if (index == 1) std::this_thread::sleep_for(milliseconds(20));
  };
  Visits visits({.count = 3}, visit, kOpen);
  EXPECT_TRUE(visits.Run(NeverInterrupted));
  EXPECT_GE(visits.Longest(), milliseconds(20));
}

TEST(RunAside, ReturnsAndThrowsWhatTheFunctionDoes) {
  const auto here = std::this_thread::get_id();
  EXPECT_NE(RunAside<std::thread::id>([] { return std::this_thread::get_id(); }, NeverInterrupted),
            here);
  const std::function<int()> fail = [] { return throw std::runtime_error("failure"), 0; };
  EXPECT_EQ(Refusal([&] { RunAside<int>(fail, NeverInterrupted); }), "failure");
}

TEST(Pace, TrustsWhatWasQuick) {
  Pace pace;
  EXPECT_EQ(pace.Alone(), Duration::zero()) << "nothing is known";
  pace.Record(milliseconds(5));
  EXPECT_EQ(pace.Alone(), Duration::zero());
  pace.Record(Duration(300), 10);
  EXPECT_GT(pace.Alone(20), Duration::zero());
  EXPECT_EQ(pace.Alone(30), Duration::zero()) << "much more than what was quick";
  pace.Record(milliseconds(2), 20);
  EXPECT_EQ(pace.Alone(5), Duration::zero());
}

}  // namespace
}  // namespace envpool
