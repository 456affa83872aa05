#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <thread>

#include "platform/platform.h"

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

int OpenAnonymousFile(const char* name) {
  return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

bool FixSize(int descriptor) {
  return fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) >= 0;
}

void PinThisThread(std::size_t core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core % std::max(std::thread::hardware_concurrency(), 1U), &cores);
  pthread_setaffinity_np(pthread_self(), sizeof(cores), &cores);
}

void KillAtHangUp(int descriptor) {
  fcntl(descriptor, F_SETOWN, getpid());
  fcntl(descriptor, F_SETSIG, SIGKILL);
  fcntl(descriptor, F_SETFL, O_ASYNC);
}

void KeepOnly(unsigned descriptor) {
  constexpr unsigned kUnshare = 1 << 1;  // CLOSE_RANGE_UNSHARE
  if (syscall(SYS_close_range, descriptor + 1, ~0U, kUnshare) != 0) return;
  if (descriptor > 0) syscall(SYS_close_range, 0U, descriptor - 1, 0U);
}

}  // namespace envpool
