#include "results/receiver.h"

#include <algorithm>
#include <chrono>

namespace envpool {

namespace {

// Some microseconds. A receiver that works itself has a core of its own and waits for a few last
// steps, which takes less than being woken up; otherwise a worker may need the core.
constexpr int kSpins = 400;
constexpr int kWorkingReceiverSpins = 2000;

}  // namespace

bool Receiver::Await(Clock::time_point deadline, Interrupt interrupt) {
  Help(deadline, interrupt);
  if (!batches_.IsFrontReady()) Wait(deadline, interrupt);
  return batches_.IsFrontReady();
}

// Does some of the work, in claims that are so short that the receiver sees soon after each whether
// its batch is ready.
void Receiver::Help(Clock::time_point deadline, Interrupt interrupt) {
  if (IsOver()) return;
  Clock::time_point now = Clock::now();
  InterruptTimer timer(interrupt, now);
  while (!IsOver() && scheduler_.Help(now)) {
    now = timer.Check(now);
    if (now > deadline) return;
  }
}

void Receiver::Spin() {
  const ThreadCounters::Rest rest(scheduler_.ReceiverCounters());
  const int spins = scheduler_.CallerWorks() ? kWorkingReceiverSpins : kSpins;
  for (int spin = 0; spin < spins && !IsOver() && scheduler_.HasCoreForReceiver(); ++spin) Pause();
}

bool Receiver::Sleep(Duration duration) {
  const ThreadCounters::Rest rest(scheduler_.ReceiverCounters());
  return gate_.WaitFor(duration, [this] { return IsOver(); });
}

// Until the next batch is ready, the pool is being closed or the time is over.
void Receiver::Wait(Clock::time_point deadline, Interrupt interrupt) {
  Spin();
  Duration period = std::chrono::milliseconds(1);
  while (!IsOver()) {
    const Duration left = deadline - Clock::now();
    if (left <= Duration::zero()) return;
    if (!Sleep(std::min(left, period))) {
      interrupt();
      scheduler_.CallForMore();
      period = std::min(2 * period, kInterruptPeriod);
    }
    Help(deadline, interrupt);
  }
}

}  // namespace envpool
