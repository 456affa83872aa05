// Files that have no name, and are gone when nobody has them open or mapped any more.
#pragma once

namespace envpool {

// Opens a new one, which children do not inherit. `name` is only what the system's lists show.
// Returns a negative number, and sets errno, if that fails.
int OpenAnonymousFile(const char* name);

// Sees to it that nobody can change the file's size from now on, where the system can do that.
// Returns false, and sets errno, if that fails.
bool FixSize(int descriptor);

}  // namespace envpool
