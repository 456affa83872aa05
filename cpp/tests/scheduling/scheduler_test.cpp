// Which thread runs which requests, and how many at a time.
#include "scheduling/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace envpool {
namespace {

using std::chrono::milliseconds;

using Ids = std::vector<std::int32_t>;

// Takes as long for each claim as it is told, and remembers it.
class Recorder final : public Runner {
 public:
  struct Claim {
    Ids envs;
    std::thread::id thread;
  };

  Tally Run(std::span<Request> requests, bool) override {
    std::this_thread::sleep_for(time);
    std::unique_lock lock(mutex_);
    ++begun_;
    condition_.notify_all();
    condition_.wait_for(lock, std::chrono::seconds(60), [&] { return begun_ >= meeting; });
    return {static_cast<int>(requests.size()), 1};
  }

  void Publish(std::span<const Request> requests, Clock::time_point) override {
    const std::lock_guard lock(mutex_);
    claims_.push_back({{}, std::this_thread::get_id()});
    for (const Request& request : requests) {
      claims_.back().envs.push_back(static_cast<std::int32_t>(request.env));
    }
    done_ += requests.size();
    condition_.notify_all();
  }

  // Waits until so many requests were published, and forgets them.
  std::vector<Claim> Await(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(condition_.wait_for(lock, std::chrono::seconds(60), [&] { return done_ >= count; }))
        << done_ << " of " << count;
    done_ = 0;
    return std::exchange(claims_, {});
  }

  std::chrono::nanoseconds time{0};
  int meeting = 0;  // so many claims wait for each other

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  std::vector<Claim> claims_;
  std::size_t done_ = 0;
  int begun_ = 0;
};

bool Help(Scheduler& scheduler) {
  Clock::time_point now = Clock::now();
  return scheduler.Help(now);
}

Ids Below(int count) {
  Ids ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

Ids EnvsOf(const std::vector<Recorder::Claim>& claims) {
  Ids all;
  for (const auto& claim : claims) all.insert(all.end(), claim.envs.begin(), claim.envs.end());
  std::ranges::sort(all);
  return all;
}

class SchedulerTest : public testing::Test {
 protected:
  // A scheduler whose workers have measured all costs and are gone, so that what follows happens
  // in this thread alone.
  void MeasureAndStop(int num_envs) {
    MeasureAndStop(
        {.num_envs = static_cast<std::size_t>(num_envs), .num_threads = 2, .caller_works = true});
  }
  void MeasureAndStop(const SchedulerConfig& config) {
    scheduler_.emplace(config, recorder_, attendance_);
    Measure(Below(static_cast<int>(config.num_envs)));
  }

  void Measure(const Ids& envs) {
    scheduler_->Start();
    scheduler_->Enqueue(envs, nullptr, false);
    recorder_.Await(envs.size());
    scheduler_->FinishStop();
  }

  // The claims of this thread, which runs all of the requests. A thread that loses its core in the
  // middle of a step makes it look heavy; then they are measured again.
  std::vector<Recorder::Claim> RunHere(const Ids& envs) {
    std::vector<Recorder::Claim> claims;
    for (int attempt = 0; attempt < 100; ++attempt) {
      scheduler_->Enqueue(envs, nullptr, true);
      while (Help(*scheduler_)) {
      }
      claims = recorder_.Await(0);
      if (EnvsOf(claims) == envs) break;
      scheduler_->FinishStop();
      Measure(envs);
    }
    EXPECT_EQ(EnvsOf(claims), envs);
    for (const auto& claim : claims) EXPECT_EQ(claim.thread, std::this_thread::get_id());
    return claims;
  }

  Recorder recorder_;
  Attendance attendance_;
  std::optional<Scheduler> scheduler_;
};

TEST_F(SchedulerTest, TheCallerClaimsLightRequestsSeveralAtATime) {
  MeasureAndStop(
      {.num_envs = 20, .num_threads = 2, .caller_works = true, .light_step = milliseconds(10)});
  std::size_t most = 0;
  for (int round = 0; round < 100 && most < 2; ++round) {
    for (const auto& claim : RunHere(Below(20))) {
      EXPECT_TRUE(std::ranges::is_sorted(claim.envs));
      most = std::max(most, claim.envs.size());
    }
  }
  EXPECT_GT(most, 1U);
}

TEST_F(SchedulerTest, TheCallerClaimsModerateRequestsOneByOne) {
  recorder_.time = std::chrono::microseconds(10);
  MeasureAndStop(5);
  EXPECT_EQ(RunHere(Below(5)).size(), 5U);
}

TEST_F(SchedulerTest, TheCallerLeavesToWorkersWhatMayTakeLong) {
  recorder_.time = milliseconds(21);
  MeasureAndStop(2);
  scheduler_->Enqueue(Below(2), nullptr, true);
  EXPECT_FALSE(Help(*scheduler_)) << "they are heavy";
  scheduler_->FinishStop();
  recorder_.time = {};
  MeasureAndStop(2);
  scheduler_->ForgetCost(1);
  scheduler_->Enqueue(Ids{1}, nullptr, true);
  EXPECT_FALSE(Help(*scheduler_)) << "nobody knows";
  scheduler_->Start();
  EXPECT_EQ(EnvsOf(recorder_.Await(1)), Ids{1});
  scheduler_->FinishStop();
}

// In an asynchronous pool: with fewer threads, each of them has a core.
TEST_F(SchedulerTest, ACallerInAWorkersPlaceRunsWhatIsLight) {
  const int cores = static_cast<int>(std::max(std::thread::hardware_concurrency(), 2U));
  SchedulerConfig config{.num_envs = 5, .num_threads = cores, .light_step = milliseconds(10)};
  MeasureAndStop(config);
  RunHere(Below(5));
  config.light_step = {};
  MeasureAndStop(config);
  scheduler_->Enqueue(Below(5), nullptr, true);
  EXPECT_FALSE(Help(*scheduler_)) << "they are moderate";
  scheduler_->FinishStop();
  config.light_step = milliseconds(10);
  config.num_threads = 1;
  MeasureAndStop(config);
  scheduler_->Enqueue(Below(5), nullptr, true);
  EXPECT_FALSE(Help(*scheduler_)) << "the only worker has a core";
  scheduler_->FinishStop();
}

TEST_F(SchedulerTest, ACallerThatIsAloneRunsAlsoWhatTakesLong) {
  scheduler_.emplace(SchedulerConfig{.num_envs = 200, .num_threads = 0, .caller_works = true},
                     recorder_, attendance_);
  EXPECT_TRUE(scheduler_->IsStarted()) << "there is nobody to start";
  EXPECT_EQ(scheduler_->Counters().size(), 1U) << "the receiver's";
  const auto run = [&](const Ids& envs) {
    scheduler_->Enqueue(envs, nullptr, true);
    while (Help(*scheduler_)) {
    }
    return EnvsOf(recorder_.Await(envs.size()));
  };
  EXPECT_EQ(run(Below(200)), Below(200)) << "nobody knows what they take";
  recorder_.time = milliseconds(21);
  EXPECT_EQ(run(Below(2)), Below(2)) << "this makes them heavy";
  EXPECT_EQ(run(Below(2)), Below(2));
  EXPECT_TRUE(attendance_.IsEmpty());
}

TEST_F(SchedulerTest, AStopDropsWhatWaits) {
  MeasureAndStop(4);
  scheduler_->Enqueue(Below(4), nullptr, true);
  scheduler_->RequestStop();
  EXPECT_TRUE(scheduler_->IsStopping());
  scheduler_->FinishStop();
  EXPECT_FALSE(scheduler_->IsStopping());
  EXPECT_FALSE(Help(*scheduler_));
}

TEST_F(SchedulerTest, ThreadsAreThereFromStartToStop) {
  MeasureAndStop(1);
  EXPECT_FALSE(scheduler_->IsStarted());
  EXPECT_TRUE(attendance_.IsEmpty());
  scheduler_->Start();
  scheduler_->Start();
  EXPECT_TRUE(scheduler_->IsStarted());
  EXPECT_FALSE(attendance_.IsEmpty());
  scheduler_->RequestStop();
  EXPECT_TRUE(attendance_.AwaitEmpty(DontInterrupt, Clock::time_point::max()));
  EXPECT_TRUE(scheduler_->IsStarted()) << "they have ended, but were not joined";
  scheduler_->FinishStop();
  EXPECT_FALSE(scheduler_->IsStarted());
}

TEST_F(SchedulerTest, EachThreadCountsWhatItRan) {
  MeasureAndStop(3);
  const auto steps = [&](std::size_t thread) {
    WorkerTotals totals;
    scheduler_->Counters()[thread].Update(totals);
    return totals.steps;
  };
  ASSERT_EQ(scheduler_->Counters().size(), 3U) << "the receiver's and two workers'";
  EXPECT_EQ(steps(0), 0);
  EXPECT_EQ(steps(1) + steps(2), 3);
  RunHere(Ids{1});
  EXPECT_EQ(steps(0), 1);
}

// A scheduler whose caller does not work: everything is the workers'.
class Workers : public testing::TestWithParam<int> {};

TEST_P(Workers, RunEachRequestOnce) {
  Recorder recorder;
  Attendance attendance;
  Scheduler scheduler({.num_envs = 200, .num_threads = GetParam()}, recorder, attendance);
  EXPECT_FALSE(Help(scheduler));
  scheduler.Start();
  for (int round = 0; round < 50; ++round) {
    scheduler.Enqueue(Below(200), nullptr, false);
    EXPECT_EQ(EnvsOf(recorder.Await(200)), Below(200));
  }
  scheduler.FinishStop();
}

// Whoever is asleep gets an invitation, so that requests which take long run at the same time.
TEST_P(Workers, TakeOneSlowRequestEach) {
  Recorder recorder;
  Attendance attendance;
  recorder.meeting = GetParam();
  Scheduler scheduler({.num_envs = 8, .num_threads = GetParam()}, recorder, attendance);
  scheduler.Start();
  std::this_thread::sleep_for(milliseconds(5));
  scheduler.Enqueue(Below(GetParam()), nullptr, false);
  std::set<std::thread::id> threads;
  for (const auto& claim : recorder.Await(static_cast<std::size_t>(GetParam()))) {
    EXPECT_EQ(claim.envs.size(), 1U);
    threads.insert(claim.thread);
  }
  EXPECT_EQ(std::ssize(threads), GetParam());
  scheduler.FinishStop();
}

INSTANTIATE_TEST_SUITE_P(Numbers, Workers, testing::Values(1, 2, 5));

}  // namespace
}  // namespace envpool
