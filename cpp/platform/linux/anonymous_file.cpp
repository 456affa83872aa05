#include "platform/anonymous_file.h"

#include <fcntl.h>
#include <sys/mman.h>

namespace envpool {

int OpenAnonymousFile(const char* name) {
  return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

bool FixSize(int descriptor) {
  return fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) >= 0;
}

}  // namespace envpool
