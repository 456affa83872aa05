// Smooth scaling: makes pictures smaller exactly as pygame.transform.smoothscale does on x86-64
// (its "SSE2" backend; the "GENERIC" one rounds otherwise), on any processor. First rows are
// shrunk, then columns; each pixel of the result is the mean of a length that need not begin or end
// with a pixel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "drawing/raster.h"

namespace envpool::drawing {

// A pixel of the result takes some whole pixels, the rest of the one before them, and a part of the
// one after them. Fractions are in units of 1 / kShareOne.
struct Cell {
  int first = 0;            // the first whole pixel
  int border = 0;           // the pixel after the whole ones, shared with the next cell
  unsigned share = 0;       // of the border pixel for this cell
  unsigned next_share = 0;  // and for the next one
};

inline constexpr unsigned kShareOne = 1U << 14;

// A Division tells how a row or column of pixels is divided.
struct Division {
  std::vector<Cell> cells;
  std::uint32_t reciprocal = 0;  // of a cell's length, in units of 1 / 65536
};

// Requires 0 < to < from.
Division Divide(int from, int to);

// Part of a value, rounded down.
constexpr unsigned ShareOf(unsigned value, unsigned share) { return (4 * value * share) >> 16; }

// Writes red, green, blue of width x height pixels from a picture of kWidth x kHeight. What is made
// larger, where pygame's backends differ by rounding, is mixed as its "GENERIC" one does.
// Requires 0 < width and 0 < height.
void SmoothScale(std::span<const Pixel> picture, int width, int height,
                 std::span<std::uint8_t> result);

}  // namespace envpool::drawing
