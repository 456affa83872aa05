// Framebuffer: a surface to draw to (raster.h) that keeps every pixel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "drawing/raster.h"

namespace envpool::drawing {

class Framebuffer {
 public:
  Framebuffer() : pixels_(std::size_t{kWidth} * kHeight) {}

  int FirstRow() const { return 0; }
  int EndRow() const { return kHeight; }

  void Fill(int y, int first, int last, Pixel colour) {
    std::fill(&At(first, y), &At(last, y) + 1, colour);
  }

  void Blend(int x, int y, Pixel colour, unsigned alpha) {
    Pixel& pixel = At(x, y);
    pixel = Mix(pixel, colour, alpha);
  }

  // Row by row.
  std::span<const Pixel> Pixels() const { return pixels_; }

 private:
  Pixel& At(int x, int y) {
    return pixels_[static_cast<std::size_t>(y) * kWidth + static_cast<std::size_t>(x)];
  }

  std::vector<Pixel> pixels_;
};

}  // namespace envpool::drawing
