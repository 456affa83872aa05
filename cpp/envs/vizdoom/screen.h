// DrawScreen: the engine's screen as a picture for people.
#pragma once

#include <cstdint>
#include <span>

#include "envpool/env.h"
#include "resize/resize.h"

namespace envpool::vizdoom {

// Writes a screen of this size, in grey or planes of red, green and blue, in the frame's size.
void DrawScreen(std::span<const std::uint8_t> screen, PlaneSize size, const Frame& frame);

}  // namespace envpool::vizdoom
