// CellSurface: a surface to draw to (raster.h) for a picture that will be made small. It divides
// each row into the cells that become one pixel of the result. Most cells have one colour, and only
// the others have pixels.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "drawing/channels.h"
#include "drawing/raster.h"
#include "drawing/smooth_scale.h"

namespace envpool::drawing {

class CellSurface {
 public:
  static constexpr std::size_t kSize = 96;  // of the result, both ways

  CellSurface();

  int FirstRow() const { return 0; }
  int EndRow() const { return kHeight; }

  // Makes everything black.
  void Clear();

  void Fill(int y, int first, int last, Pixel colour) {
    const Content content = ContentOf(colour);
    const std::size_t row = static_cast<std::size_t>(y) * kSize;
    std::size_t from = cell_of_[static_cast<std::size_t>(first)];
    std::size_t end = cell_of_[static_cast<std::size_t>(last)] + std::size_t{1};
    if (content == kMixed) return FillMixed(row, first, last, colour);
    if (first > columns_[from].first) {
      const int stop = std::min(last, columns_[from].border);
      if (cells_[row + from] != content) PaintPart(row, from, first, stop, colour);
      ++from;
    }
    if (from < end && last < columns_[end - 1].border) {
      --end;
      if (cells_[row + end] != content) PaintPart(row, end, columns_[end].first, last, colour);
    }
    if (from < end) std::fill_n(&cells_[row + from], end - from, content);
  }

  void Blend(int x, int y, Pixel colour, unsigned alpha) {
    const auto column = static_cast<std::size_t>(x);
    Block& block = BlockOf(static_cast<std::size_t>(y) * kSize, cell_of_[column]);
    Pixel& pixel = block[place_of_[column]];
    pixel = Mix(pixel, colour, alpha);
  }

  // Writes red, green, blue of kSize x kSize pixels: what SmoothScale makes of this picture.
  void Scale(std::span<std::uint8_t> result);

 private:
  // A cell's colour as an index of shades_, or kMixed: the cell has a block.
  using Content = std::uint8_t;
  static constexpr Content kMixed = 255;
  static constexpr std::size_t kMostColours = 64;

  // A cell's pixels, so that the last one is the border. It has 10 or 11; zeros come before.
  static constexpr std::size_t kBlockSize = 12;
  using Block = std::array<Pixel, kBlockSize>;

  // Masks of the places from one on, and up to one.
  static constexpr std::array<Block, kBlockSize> MakeMasks(bool is_from) {
    std::array<Block, kBlockSize> masks = {};
    for (std::size_t place = 0; place < kBlockSize; ++place) {
      for (std::size_t i = 0; i < kBlockSize; ++i) {
        masks[place][i] = (is_from ? i >= place : i <= place) ? ~Pixel{0} : 0;
      }
    }
    return masks;
  }
  static const std::array<Block, kBlockSize> kFrom;
  static const std::array<Block, kBlockSize> kUpTo;

  // A colour, and what a row of nothing else is shrunk to.
  struct Shade {
    Pixel colour;
    std::array<Channels, kSize> values;
  };

  // The rows of a band that becomes a row of the result.
  static constexpr std::size_t kMostRows = 10;
  struct Band {
    std::size_t rows = 0;
    std::size_t first = 0;  // the first row's place in cells_
    // The last pixels of the cells to the left; if all are the same, only the first one is set.
    bool is_left_even = true;
    std::array<Pixel, kMostRows> left = {};
  };

  // A Narrow has what the rows of a band shrink to: the last one, and the sum of the others.
  struct Narrow {
    Channels whole;
    Channels last;
  };

  // kMixed if there are too many colours.
  Content ContentOf(Pixel colour) {
    return shades_[latest_].colour == colour ? latest_ : FindContent(colour);
  }
  Content FindContent(Pixel colour);

  Block& BlockOf(std::size_t row, std::size_t column) {
    return cells_[row + column] == kMixed ? blocks_[block_of_[row + column]] : Mingle(row, column);
  }
  Block& Mingle(std::size_t row, std::size_t column);

  void PaintPart(std::size_t row, std::size_t column, int first, int last, Pixel colour) {
    Block& block = BlockOf(row, column);
    // Without jumps that depend on the lengths, which nobody could predict.
    const Block& from = kFrom[place_of_[static_cast<std::size_t>(first)]];
    const Block& up_to = kUpTo[place_of_[static_cast<std::size_t>(last)]];
    for (std::size_t i = 0; i < kBlockSize; ++i) {
      const Pixel mask = from[i] & up_to[i];
      block[i] = (block[i] & ~mask) | (colour & mask);
    }
  }
  void FillMixed(std::size_t row, int first, int last, Pixel colour);

  Channels Shrink(std::size_t column, Pixel left, Channels whole, Pixel border) const;
  Channels ShrinkEven(std::size_t column, Pixel left, Pixel colour) const;
  Narrow ShrinkUneven(Band& band, std::size_t column) const;
  void ScaleBand(const Cell& rows, std::uint8_t* result);

  const Division division_;  // of a row
  const Division rows_;
  std::array<Cell, kSize> columns_;
  std::array<std::uint8_t, kWidth> cell_of_;
  std::array<std::uint8_t, kWidth> place_of_;  // of a pixel in its block
  std::vector<Content> cells_;
  std::vector<std::uint32_t> block_of_;  // of those cells that are mixed
  std::vector<Block> blocks_;
  std::size_t num_blocks_ = 0;
  std::array<Shade, kMostColours> shades_;  // the first one is black
  std::size_t num_shades_ = 0;
  Content latest_ = 0;                  // of the shades
  std::array<Channels, kSize> before_;  // what the band before leaves
};

inline constexpr std::array<CellSurface::Block, CellSurface::kBlockSize> CellSurface::kFrom =
    MakeMasks(true);
inline constexpr std::array<CellSurface::Block, CellSurface::kBlockSize> CellSurface::kUpTo =
    MakeMasks(false);

}  // namespace envpool::drawing
