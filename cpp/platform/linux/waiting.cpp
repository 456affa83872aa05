#include "platform/waiting.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>

namespace envpool {

void SleepOn(std::uint32_t* word, std::uint32_t value, std::uint32_t groups,
             std::chrono::nanoseconds duration) {
  // This call takes a point in time, on the clock that steady_clock is.
  const std::int64_t until =
      (std::chrono::steady_clock::now() + duration).time_since_epoch().count();
  timespec time;
  time.tv_sec = static_cast<time_t>(until / 1'000'000'000);
  time.tv_nsec = static_cast<long>(until % 1'000'000'000);
  syscall(SYS_futex, word, FUTEX_WAIT_BITSET, value, &time, nullptr, groups);
}

void WakeSleepers(std::uint32_t* word, std::uint32_t groups) {
  syscall(SYS_futex, word, FUTEX_WAKE_BITSET, INT_MAX, nullptr, nullptr, groups);
}

}  // namespace envpool
