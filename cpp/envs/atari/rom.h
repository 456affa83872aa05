// The files that games are read from.
#pragma once

#include <string>

namespace envpool::atari {

// Where ROMs are unless the environment variable ALE_ROMS_DIR says so.
void SetRomFolder(const std::string& folder);

// The path of a game's ROM, which is there and is the one that ALE knows the rules for.
// Throws std::runtime_error that says what is wrong with it.
std::string RomOf(const std::string& game);

}  // namespace envpool::atari
