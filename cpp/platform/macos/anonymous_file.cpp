#include "platform/anonymous_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace envpool {

int OpenAnonymousFile(const char* name) {
  // Not shm_open: what that makes can be mapped, but not read and written. The folder is the user's
  // own, whatever the environment says; its length counts the zero at the end.
  std::string path(confstr(_CS_DARWIN_USER_TEMP_DIR, nullptr, 0), '\0');
  if (path.empty()) return -1;
  confstr(_CS_DARWIN_USER_TEMP_DIR, path.data(), path.size());
  path.pop_back();
  path.append("/").append(name).append(".XXXXXX");
  const int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor >= 0) unlink(path.c_str());
  return descriptor;
}

bool FixSize(int) { return true; }

}  // namespace envpool
