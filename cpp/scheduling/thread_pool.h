// ThreadPool: threads that any number of schedulers share.
//
// Each thread goes round the seats and takes at most one turn, which is one claim, at each of them
// before it comes to the same seat again. So a pool whose environments take long or are many holds
// up another one's for no longer than one claim on each thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "scheduling/seat.h"
#include "threads/attendance.h"
#include "threads/fork_mark.h"
#include "threads/gate.h"
#include "threads/interrupt.h"

namespace envpool {

class ThreadPool {
 public:
  // Thread i runs on core affinity_offset + i; no pinning if negative. Throws std::runtime_error if
  // they cannot be started. In a forked child the last owner leaves it be.
  static std::shared_ptr<ThreadPool> Make(int num_threads, int affinity_offset = -1);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() { Close(); }

  int NumThreads() const { return num_threads_; }
  bool IsForked() const { return fork_mark_.IsForked(); }
  // Throws std::runtime_error if it was closed, or the process was forked since it was made.
  void CheckOpen() const;

  // A place among those that its threads work for, for as long as it is not given up.
  std::shared_ptr<Seat> Join(TurnTaker& taker, Attendance& attendance);

  // Ends the threads for good as soon as they have finished what they are at, and waits for that.
  // If `interrupt` throws meanwhile or the time is over, which returns false, they end all the
  // same.
  bool Close(Interrupt interrupt = DontInterrupt,
             Clock::time_point deadline = Clock::time_point::max());

  // The seats' side.

  // Counts the invitations of all seats together: while there are any, threads look for them.
  void AddInvitations(int count) { invitations_.fetch_add(count); }
  bool HasInvitations() const { return invitations_.load() > 0; }
  void Wake(int count) { gate_.Notify(count); }

 private:
  using Seats = std::vector<std::shared_ptr<Seat>>;

  ThreadPool(int num_threads, int affinity_offset);

  void Work(std::size_t worker);
  void Rest();
  std::shared_ptr<const Seats> CurrentSeats(std::uint64_t& version);

  const int num_threads_;
  const int affinity_offset_;
  const ForkMark fork_mark_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> invitations_ = 0;
  Gate gate_;  // threads sleep here
  std::mutex seats_mutex_;
  // Never changed, but replaced: threads take no lock while they go round.
  std::shared_ptr<const Seats> seats_ = std::make_shared<const Seats>();
  std::atomic<std::uint64_t> version_ = 0;  // of the seats
  Attendance attendance_;
  std::mutex joining_;
  std::vector<std::thread> threads_;
};

}  // namespace envpool
