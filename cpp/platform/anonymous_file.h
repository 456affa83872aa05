// Files that have no name, and are gone when nobody has them open or mapped any more.
#pragma once

#include <sys/types.h>

namespace envpool {

// Opens a new one, which children do not inherit. `name` is only what the system's lists show.
// Returns a negative number, and sets errno, if that fails.
int OpenAnonymousFile(const char* name);

// Sees to it that nobody can change the file's size from now on, where the system can do that.
// Returns false, and sets errno, if that fails.
bool FixSize(int descriptor);

// Gives a range of the file back, which reads as zeros from then on; if the system does not do
// that, it is only memory.
void FreeRange(int descriptor, off_t offset, off_t size);

}  // namespace envpool
