// FamilyLibrary: a family's shared library, loaded.
#pragma once

#include <string>

#include "envpool/family.h"

namespace envpool {

// Loads the library at `path` and returns its environments, which live as long as the process.
// Throws std::runtime_error if it cannot be loaded, has no door, or was built for another SDK.
const Family& LoadFamily(const std::string& path);

// Gives a family its settings; those that are not among `given` get their defaults. Throws
// std::invalid_argument for a name that it does not know or a value of another type.
void Configure(const Family& family, const Options& given);

}  // namespace envpool
