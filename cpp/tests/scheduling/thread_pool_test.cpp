// Threads that several schedulers share: whose turn it is, and how each of them leaves.
#include "scheduling/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "scheduling/scheduler.h"

namespace envpool {
namespace {

// Which runners had turns, in this order. Those that are held wait in theirs.
class Turns {
 public:
  void Take(std::size_t runner) {
    std::unique_lock lock(mutex_);
    order_.push_back(runner);
    changed_.notify_all();
    changed_.wait(lock, [&] { return held_ != runner; });
  }
  void Hold(std::size_t runner) {
    const std::lock_guard lock(mutex_);
    held_ = runner;
  }
  void Release() {
    const std::lock_guard lock(mutex_);
    held_.reset();
    changed_.notify_all();
  }
  std::vector<std::size_t> Await(std::size_t count) {
    std::unique_lock lock(mutex_);
    const bool came =
        changed_.wait_for(lock, std::chrono::seconds(60), [&] { return order_.size() >= count; });
    EXPECT_TRUE(came) << order_.size() << " of " << count;
    return order_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::size_t> order_;
  std::optional<std::size_t> held_;
};

// A scheduler at the thread pool. Nobody knows what its requests take, so each is a claim.
class Member final : public Runner {
 public:
  Member(Turns& turns, std::size_t number, std::shared_ptr<ThreadPool> threads)
      : turns_(turns),
        number_(number),
        scheduler_({.num_envs = 100,
                    .num_threads = threads->NumThreads(),
                    .thread_pool = std::move(threads)},
                   *this, attendance_) {
    scheduler_.Start();
  }
  ~Member() { scheduler_.FinishStop(); }

  Tally Run(std::span<Request>) override {
    turns_.Take(number_);
    return {};
  }
  void Publish(std::span<const Request>, Clock::time_point) override {}

  void Enqueue(int count) {
    std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
    std::iota(ids.begin(), ids.end(), 0);
    scheduler_.Enqueue(ids, nullptr, false);
  }
  Scheduler& Get() { return scheduler_; }
  bool HasEnded() const { return attendance_.IsEmpty(); }

 private:
  Turns& turns_;
  const std::size_t number_;
  Attendance attendance_;
  Scheduler scheduler_;
};

// Between two turns of a runner that has work, nobody else has more than one.
void ExpectFair(const std::vector<std::size_t>& order, std::size_t num_runners) {
  for (std::size_t runner = 0; runner < num_runners; ++runner) {
    std::vector<int> since(num_runners);
    const auto last = std::ranges::find(order.rbegin(), order.rend(), runner).base();
    for (auto turn = order.begin(); turn != last; ++turn) {
      if (*turn == runner) {
        std::ranges::fill(since, 0);
      } else {
        EXPECT_LE(++since[*turn], 1) << *turn << " before " << runner;
      }
    }
  }
}

TEST(ThreadPool, BetweenTwoTurnsOfAPoolIsAtMostOneOfEachOther) {
  Turns turns;
  const auto threads = ThreadPool::Make(1);
  std::array members{std::make_unique<Member>(turns, 0, threads),
                     std::make_unique<Member>(turns, 1, threads),
                     std::make_unique<Member>(turns, 2, threads)};
  turns.Hold(0);
  members[0]->Enqueue(50);
  turns.Await(1);
  members[1]->Enqueue(3);
  members[2]->Enqueue(20);
  turns.Release();
  const std::vector<std::size_t> order = turns.Await(73);
  EXPECT_EQ(std::ranges::count(order, 1U), 3);
  EXPECT_EQ(std::ranges::count(order, 2U), 20);
  ExpectFair(order, 3);
}

TEST(ThreadPool, WhatTakesLongHoldsOneThread) {
  Turns turns;
  const auto threads = ThreadPool::Make(2);
  Member slow(turns, 0, threads);
  Member quick(turns, 1, threads);
  turns.Hold(0);
  slow.Enqueue(1);
  turns.Await(1);
  quick.Enqueue(100);
  EXPECT_EQ(std::ranges::count(turns.Await(101), 1U), 100);
  turns.Release();
}

TEST(ThreadPool, AllThreadsTakeWhatTakesLong) {
  Turns turns;
  const auto threads = ThreadPool::Make(3);
  Member member(turns, 0, threads);
  turns.Hold(0);
  member.Enqueue(3);
  turns.Await(3);
  turns.Release();
}

TEST(ThreadPool, AMemberThatLeavesWaitsForItsOwnTurnsOnly) {
  Turns turns;
  const auto threads = ThreadPool::Make(2);
  Member stays(turns, 0, threads);
  auto leaves = std::make_unique<Member>(turns, 1, threads);
  turns.Hold(0);
  stays.Enqueue(1);
  leaves->Enqueue(1);
  turns.Await(2);
  leaves.reset();  // while the other one is held
  turns.Release();
}

TEST(ThreadPool, AMemberLeavesOnceItsTurnIsOver) {
  Turns turns;
  const auto threads = ThreadPool::Make(1);
  Member member(turns, 0, threads);
  turns.Hold(0);
  member.Enqueue(2);
  turns.Await(1);
  member.Get().RequestStop();
  EXPECT_FALSE(member.HasEnded());
  turns.Release();
  member.Get().FinishStop();
  EXPECT_TRUE(member.HasEnded());
  EXPECT_EQ(turns.Await(1).size(), 1U) << "the second was dropped";
  member.Get().Start();
  member.Enqueue(1);
  turns.Await(2);
}

TEST(ThreadPool, OnceClosedItTakesNobodyAndRunsNothing) {
  Turns turns;
  const auto threads = ThreadPool::Make(1);
  Member member(turns, 0, threads);
  turns.Hold(0);
  member.Enqueue(2);
  turns.Await(1);
  EXPECT_FALSE(threads->Close(DontInterrupt, Clock::now())) << "a turn is under way";
  turns.Release();
  EXPECT_TRUE(threads->Close());
  EXPECT_TRUE(threads->Close());
  EXPECT_EQ(turns.Await(1).size(), 1U);
  EXPECT_THROW(member.Get().CallForMore(), std::runtime_error);
  EXPECT_THROW(Member(turns, 1, threads), std::runtime_error);
}

}  // namespace
}  // namespace envpool
