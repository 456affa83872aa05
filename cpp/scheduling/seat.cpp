#include "scheduling/seat.h"

#include "scheduling/thread_pool.h"

namespace envpool {

Seat::Seat(ThreadPool& thread_pool, TurnTaker& taker, Attendance& attendance)
    : thread_pool_(thread_pool), taker_(taker), attendance_(attendance) {
  attendance_.Enter();
}

void Seat::Invite(int count) {
  const int missing = count - invitations_.load();
  if (missing <= 0) return;
  invitations_.fetch_add(missing);
  thread_pool_.AddInvitations(missing);
  thread_pool_.Wake(missing);
}

void Seat::CallForOthers() {
  if (thread_pool_.HasInvitations()) thread_pool_.Wake(1);
}

void Seat::GiveUp() {
  if (!is_given_up_.exchange(true)) Exit();
}

bool Seat::TakeTurn(std::size_t worker) {
  if (!TakeInvitation()) return false;
  if (!Enter()) return true;
  if (taker_.TakeTurn(worker)) {
    invitations_.fetch_add(1);
    thread_pool_.AddInvitations(1);
  }
  Exit();
  return true;
}

bool Seat::TakeInvitation() {
  int invitations = invitations_.load();
  while (invitations > 0) {
    if (!invitations_.compare_exchange_weak(invitations, invitations - 1)) continue;
    thread_pool_.AddInvitations(-1);
    return true;
  }
  return false;
}

// Not once nobody is inside.
bool Seat::Enter() {
  int inside = inside_.load();
  while (inside > 0) {
    if (inside_.compare_exchange_weak(inside, inside + 1)) return true;
  }
  return false;
}

void Seat::Exit() {
  if (inside_.fetch_sub(1) > 1) return;
  thread_pool_.AddInvitations(-invitations_.exchange(0));
  attendance_.Leave();
  has_left_.count_down();  // until then whoever closes the pool keeps the attendance
}

}  // namespace envpool
