#include "platform/process_end.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace envpool {

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
