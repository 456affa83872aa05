#include <fcntl.h>
#include <sys/param.h>
#include <unistd.h>

#include "mujoco/platform/platform.h"

namespace envpool::mujoco {

// It finds MuJoCo's library by the last part of its name, which is that of a file in a framework.
const char* const kLibraryPath = "DYLD_LIBRARY_PATH";

const char* const kDrawingAdvice =
    "envpool does not draw MuJoCo's pictures on macOS yet: observe states there, not pixels.";

bool OpenPipe(std::array<int, 2>& ends) {
  if (pipe(ends.data()) != 0) return false;
  // A program that another thread starts just now inherits the ends, which only delays their
  // closing.
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  return true;
}

int OpenTemporaryFile() {
  // The folder is the user's own, whatever the environment says; its length counts the zero at the
  // end.
  std::string path(confstr(_CS_DARWIN_USER_TEMP_DIR, nullptr, 0), '\0');
  if (path.empty()) return -1;
  confstr(_CS_DARWIN_USER_TEMP_DIR, path.data(), path.size());
  path.pop_back();
  path.append("/envpool_model.XXXXXX");
  return mkostemp(path.data(), O_CLOEXEC);
}

std::string PathOf(int descriptor) {
  std::array<char, MAXPATHLEN> path{};
  return fcntl(descriptor, F_GETPATH, path.data()) == 0 ? path.data() : "";
}

void CloseTemporaryFile(int descriptor) {
  unlink(PathOf(descriptor).c_str());
  close(descriptor);
}

// The system tells nobody of a parent's end. But no parent waits for this many seconds.
void EndBeforeOthers() { alarm(300); }

}  // namespace envpool::mujoco
