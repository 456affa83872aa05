// DrawScreen: the engine's screen as a picture for people.
#pragma once

#include <cstdint>
#include <span>

#include "envpool/env.h"
#include "vizdoom/doom_game.h"

namespace envpool::vizdoom {

// Writes a screen of this game's, in the frame's size.
void DrawScreen(std::span<const std::uint8_t> screen, const DoomGame& game, const Frame& frame);

}  // namespace envpool::vizdoom
