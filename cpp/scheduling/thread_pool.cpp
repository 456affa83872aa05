#include "scheduling/thread_pool.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "platform/cores.h"
#include "threads/threads.h"

namespace envpool {

namespace {

constexpr int kSpins = 1000;

}  // namespace

std::shared_ptr<ThreadPool> ThreadPool::Make(int num_threads, int affinity_offset) {
  // In a child its threads don't exist, but its locks say otherwise.
  const auto end = [](ThreadPool* thread_pool) {
    if (!thread_pool->IsForked()) delete thread_pool;
  };
  return {new ThreadPool(num_threads, affinity_offset), end};
}

ThreadPool::ThreadPool(int num_threads, int affinity_offset)
    : num_threads_(num_threads), affinity_offset_(affinity_offset) {
  try {
    StartThreads(threads_, static_cast<std::size_t>(num_threads), attendance_,
                 [this](std::size_t worker) { Work(worker); });
  } catch (...) {
    Close();
    throw;
  }
}

void ThreadPool::CheckOpen() const {
  if (IsForked()) {
    throw std::runtime_error(
        "thread_pool was created before the process forked, and its threads stayed in the parent: "
        "create one in the child instead");
  }
  if (stopping_.load()) {
    throw std::runtime_error("thread_pool is closed: create another one, and pools that use it");
  }
}

std::shared_ptr<Seat> ThreadPool::Join(TurnTaker& taker, Attendance& attendance) {
  CheckOpen();
  const std::lock_guard lock(seats_mutex_);
  auto seats = std::make_shared<Seats>();
  std::ranges::copy_if(*seats_, std::back_inserter(*seats),
                       [](const auto& seat) { return !seat->IsGivenUp(); });
  seats->push_back(std::make_shared<Seat>(*this, taker, attendance));
  seats_ = seats;
  version_.fetch_add(1);
  return seats->back();
}

std::shared_ptr<const ThreadPool::Seats> ThreadPool::CurrentSeats(std::uint64_t& version) {
  const std::lock_guard lock(seats_mutex_);
  version = version_.load();
  return seats_;
}

bool ThreadPool::Close(Interrupt interrupt, Clock::time_point deadline) {
  if (IsForked()) return true;
  stopping_.store(true);
  gate_.NotifyAll();
  if (!attendance_.AwaitEmpty(interrupt, deadline)) return false;
  const std::lock_guard lock(joining_);
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  return true;
}

void ThreadPool::Work(std::size_t worker) {
  if (affinity_offset_ >= 0) PinThisThread(static_cast<std::size_t>(affinity_offset_) + worker);
  std::uint64_t version = 0;
  auto seats = CurrentSeats(version);
  while (!stopping_.load()) {
    if (version != version_.load()) seats = CurrentSeats(version);
    bool had_turn = false;
    for (const auto& seat : *seats) {
      if (stopping_.load()) return;
      had_turn |= seat->TakeTurn(worker);
    }
    if (!had_turn) Rest();
  }
}

// Waits for invitations: first awake, then asleep.
void ThreadPool::Rest() {
  const auto called = [this] { return HasInvitations() || stopping_.load(); };
  for (int spin = 0; spin < kSpins && !called(); ++spin) Pause();
  if (!called()) gate_.Wait(called);
}

}  // namespace envpool
