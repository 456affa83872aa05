// Where the files of the package vizdoom are.
#pragma once

#include <string>

namespace envpool::vizdoom {

// The package's module, which has the library; the engine, which is a program; and Freedoom,
// which stands in for Doom's own data.
std::string LibraryPath();
std::string EnginePath();
std::string FreedoomPath();

// envpool's own program that starts engines.
std::string LauncherPath();

// Returns the path itself, or where a package has a scenario of this name. Throws
// std::invalid_argument if none has.
std::string Located(const std::string& path);

}  // namespace envpool::vizdoom
