// FamilyLibrary: a family's shared library, loaded.
#pragma once

#include <string>

#include "envpool/family.h"

namespace envpool {

// Loads the library at `path` and returns its environments, which live as long as the process.
// Throws std::runtime_error if it cannot be loaded, has no door, or was built for another SDK.
const Family& LoadFamily(const std::string& path);

}  // namespace envpool
