// RomOf finds the file that a game is read from.
#pragma once

#include <string>

namespace envpool::atari {

// Returns the path of a game's ROM, which is there and is the one that ALE knows the rules for. The
// ROM is in the folder in the environment variable ALE_ROMS_DIR, else in the family's setting
// `rom_folder`. Throws std::runtime_error that says what is wrong with the file.
std::string RomOf(const std::string& game);

}  // namespace envpool::atari
