// Palette: the colours of the console on a television of each kind.
#pragma once

#include <array>
#include <cstdint>

namespace envpool::atari {

// The machine's pixels are indices. Colours, as 0xRRGGBB, are at the even ones; after each is its
// shade of grey, to which ALE turns a picture whose colours are lost.
using Palette = std::array<std::uint32_t, 256>;

// Returns the colours of a television for PAL, or else for NTSC.
const Palette& PaletteOf(bool is_pal);

}  // namespace envpool::atari
