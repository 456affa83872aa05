// OpenLibrary: dlopen, with an error that tells what is wrong with the file.
#pragma once

#include <string>

namespace envpool {

// Loads the library at `path`, which is never closed: environments and exceptions of it may outlive
// any one user. Throws std::runtime_error.
void* OpenLibrary(const std::string& path);

}  // namespace envpool
