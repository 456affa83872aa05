// FamilyLibrary: a family's shared library, loaded.
#pragma once

#include <string>

#include "envpool/abi.h"
#include "envpool/env_type.h"

namespace envpool {

// Loads the library at `path` and returns its environments, which live as long as the process.
// Throws std::runtime_error if it cannot be loaded, has no door, does not fit to this SDK, or if
// its registration is wrong.
const Family& LoadFamily(const std::string& path);

// Throws std::runtime_error, which names both sides, if classes of a library that was compiled to
// `theirs` have other layouts than here.
void RequireSameAbi(const std::string& path, const Abi& theirs);

// Throws std::runtime_error if a family is not as Register wants it.
void RequireWhole(const std::string& path, const Family& family);

// What this side was compiled to, in words.
std::string DescribeThisAbi();

}  // namespace envpool
