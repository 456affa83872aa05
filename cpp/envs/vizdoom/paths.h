// Where the files of the package vizdoom are.
#pragma once

#include <string>

#include "envpool/options.h"

namespace envpool::vizdoom {

// The package's module, which has the library; the engine, which is a program; and Freedoom,
// which stands in for Doom's own data.
std::string LibraryPath();
std::string EnginePath();
std::string FreedoomPath();

// envpool's own program that starts engines.
std::string LauncherPath();

// Returns the path that is this option's value, or where a package has a scenario of this name.
// Throws std::invalid_argument if none has.
std::string Located(const Options& options, const std::string& option);

}  // namespace envpool::vizdoom
