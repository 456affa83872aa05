// Pictures of grids, made of tiles.
#pragma once

#include <cstdint>
#include <span>

#include "envpool/env.h"
#include "minigrid/tiles.h"
#include "minigrid/view.h"

namespace envpool::minigrid {

struct PictureStyle {
  bool shows_view = false;  // what the agent sees, instead of the grid
  bool highlights = true;   // what the agent sees, in the grid; its view always is

  // Returns how many columns and rows of tiles the picture has.
  Size Tiles(Size grid, int view_size) const {
    return shows_view ? Size{view_size, view_size} : grid;
  }
};

// Writes a picture of as many tiles, rows of pixels from the top.
void DrawPicture(const Grid& grid, const Pose& pose, const View& view, PictureStyle style,
                 Tiles& tiles, std::span<std::uint8_t> pixels);

// Writes the same picture into a frame of any size: its tiles are as large as it takes, or where
// that is no whole number, those of `tile_size` are enlarged or reduced by nearest neighbours.
void DrawFrame(const Grid& grid, const Pose& pose, const View& view, PictureStyle style,
               int tile_size, const Frame& frame);

}  // namespace envpool::minigrid
