// Seat: the place of a scheduler among those that share a thread pool.
//
// Threads come by invitation, for one turn each. A thread takes an invitation, takes the turn, and
// if requests are left it puts the invitation back, for whoever comes first to the seat again.
#pragma once

#include <atomic>
#include <cstddef>
#include <latch>

#include "threads/attendance.h"

namespace envpool {

class ThreadPool;

// What shared threads do at a seat.
class TurnTaker {
 public:
  // One claim at most. Returns whether there is work for a further turn.
  virtual bool TakeTurn(std::size_t worker) = 0;

 protected:
  ~TurnTaker() = default;
};

class Seat {
 public:
  // Enters `attendance`, and leaves it when it was given up and the last turn is over. `taker` may
  // be gone then; the thread pool outlives the seat's use.
  Seat(ThreadPool& thread_pool, TurnTaker& taker, Attendance& attendance);
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  // The scheduler's side.

  // Sees to it that so many turns will be taken.
  void Invite(int count);
  // This thread is about to be busy for long here: whoever else is invited gets another one.
  void CallForOthers();
  // No turn begins any more.
  void GiveUp();
  bool IsGivenUp() const { return is_given_up_.load(); }
  // Waits until the last turn is over.
  void AwaitLeft() { has_left_.wait(); }

  // The threads' side, which own the seat meanwhile. Returns whether it had an invitation.
  bool TakeTurn(std::size_t worker);

 private:
  bool TakeInvitation();
  bool Enter();
  void Exit();

  ThreadPool& thread_pool_;
  TurnTaker& taker_;
  Attendance& attendance_;
  std::atomic<int> invitations_ = 0;
  std::atomic<int> inside_ = 1;  // threads in a turn, and the scheduler until it gives up
  std::atomic<bool> is_given_up_ = false;
  std::latch has_left_{1};
};

}  // namespace envpool
