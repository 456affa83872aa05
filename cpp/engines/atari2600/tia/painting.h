// Painting: from the masks of the objects to the colours of a line's pixels.
#pragma once

#include <array>
#include <cstdint>

#include "atari2600/tia/objects.h"

namespace envpool::atari2600 {

enum Colour : unsigned { kBackgroundColour, kPlayfieldColour, kPlayer0Colour, kPlayer1Colour };
using Colours = std::array<std::uint8_t, 4>;

// Paints a row of 160 pixels. The masks and `enabled` are up to date.
void PaintLine(std::uint8_t* row, const Objects& objects, const Colours& colours);

// Paints only the pixels from `first` to before `end` of the row.
void PaintPart(std::uint8_t* row, const Objects& objects, const Colours& colours, int first,
               int end);

}  // namespace envpool::atari2600
