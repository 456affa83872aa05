// LoadRom finds and reads the ROM of a game.
#pragma once

#include <memory>

#include "atari/game.h"
#include "atari2600/cartridge/cartridge.h"

namespace envpool::atari {

// Returns a game's ROM, which is the one that its rules are for; all environments share it. Its
// file is in the folder in the environment variable ALE_ROMS_DIR, else in the family's setting
// `rom_folder`. Throws std::runtime_error that says what is wrong with the file.
std::shared_ptr<const atari2600::Rom> LoadRom(const Game& game);

}  // namespace envpool::atari
