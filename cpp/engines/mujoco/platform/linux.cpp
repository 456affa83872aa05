#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

#include "mujoco/platform/platform.h"

namespace envpool::mujoco {

const char* const kLibraryPath = "LD_LIBRARY_PATH";

const char* const kDrawingAdvice =
    "To install it on Debian or Ubuntu: apt-get install libegl1 libgl1-mesa-dri (EGL), or "
    "libosmesa6 (OSMesa).";

bool OpenPipe(std::array<int, 2>& ends) { return pipe2(ends.data(), O_CLOEXEC) == 0; }

int OpenTemporaryFile() { return memfd_create("model", MFD_CLOEXEC); }

std::string PathOf(int descriptor) {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor);
}

void CloseTemporaryFile(int descriptor) { close(descriptor); }

void EndBeforeOthers() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t written = write(file, "1000", 4);
  close(file);
}

}  // namespace envpool::mujoco
