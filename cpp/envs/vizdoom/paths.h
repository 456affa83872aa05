// Where the files of the package vizdoom are.
#pragma once

#include <string>

namespace envpool::vizdoom {

// The package's module, which has the library; the engine, which is a program; and its folder,
// which has scenarios and maps. All throw std::runtime_error if the package is not there.
std::string LibraryPath();
std::string EnginePath();
std::string PackageFolder();

// Returns the path itself, or where the package has a scenario of this name.
std::string Located(const std::string& path);

}  // namespace envpool::vizdoom
