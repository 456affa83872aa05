// CellSurface: a surface to draw to (raster.h) for a picture that will be made small. It divides
// each row into the cells that become one pixel of the result. Most cells have one colour, and only
// the others have pixels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "box2d/raster.h"
#include "box2d/smooth_scale.h"

namespace envpool::box2d {

class CellSurface {
 public:
  static constexpr std::size_t kSize = 96;  // of the result, both ways

  CellSurface();

  int FirstRow() const { return 0; }
  int EndRow() const { return kHeight; }

  // Makes everything black.
  void Clear();

  void Fill(int y, int first, int last, Pixel colour) {
    Content* const row = RowAt(y);
    std::size_t from = cell_of_[static_cast<std::size_t>(first)];
    std::size_t end = cell_of_[static_cast<std::size_t>(last)] + std::size_t{1};
    if (first > columns_[from].first) {
      const int stop = std::min(last, columns_[from].border);
      PaintPart(row[from], from, first, stop, colour);
      ++from;
    }
    if (from < end && last < columns_[end - 1].border) {
      --end;
      PaintPart(row[end], end, columns_[end].first, last, colour);
    }
    for (std::size_t i = from; i < end; ++i) row[i] = colour;
  }

  void Blend(int x, int y, Pixel colour, unsigned alpha) {
    const std::size_t column = cell_of_[static_cast<std::size_t>(x)];
    Content& content = RowAt(y)[column];
    if (content == colour) return;
    Pixel& pixel = PixelsOf(content, column)[PlaceOf(column, x)];
    pixel = Mix(pixel, colour, alpha);
  }

  // Writes red, green, blue of kSize x kSize pixels: what SmoothScale makes of this picture.
  void Scale(std::span<std::uint8_t> result);

 private:
  // The colour of all pixels, or kMixed and the index of a Block.
  using Content = std::uint32_t;
  static constexpr Content kMixed = 1U << 31;

  // A cell's pixels, so that the last one is the border; zeros before the first.
  static constexpr std::size_t kBlockSize = 12;
  using Block = std::array<Pixel, kBlockSize>;

  // Red, blue and green, with 16 bits each.
  using Channels = std::uint64_t;
  static constexpr std::size_t kLanes = kSize * sizeof(Channels) / sizeof(std::uint16_t);
  using Line = std::array<std::uint16_t, kLanes>;  // Channels of each column

  // What a row of one colour is shrunk to.
  struct Shade {
    Pixel colour = 0;
    std::array<Channels, kSize> values = {};
  };

  // The rows of a band that becomes a row of the result.
  static constexpr std::size_t kMostRows = 10;
  struct Band {
    std::size_t rows = 0;
    const Content* first = nullptr;
    // The last pixels of the cells to the left.
    bool is_left_even = true;
    std::array<Pixel, kMostRows> left = {};
  };

  Content* RowAt(int y) { return &cells_[static_cast<std::size_t>(y) * kSize]; }
  std::size_t PlaceOf(std::size_t column, int x) const {
    return static_cast<std::size_t>(x - columns_[column].border) + (kBlockSize - 1);
  }

  Block& PixelsOf(Content& content, std::size_t column) {
    return (content & kMixed) != 0 ? blocks_[content & ~kMixed] : Mingle(content, column);
  }
  Block& Mingle(Content& content, std::size_t column);

  void PaintPart(Content& content, std::size_t column, int first, int last, Pixel colour) {
    if (content == colour) return;
    Block& block = PixelsOf(content, column);
    const std::size_t end = PlaceOf(column, last);
    for (std::size_t i = PlaceOf(column, first); i <= end; ++i) block[i] = colour;
  }

  const Shade& ShadeOf(Pixel colour);
  Channels Shrink(std::size_t column, Pixel left, Channels whole, Pixel border) const;
  Channels ShrinkCell(std::size_t column, Pixel left, Content content, Pixel& border) const;
  void ShrinkBand(Band& band);
  void ShrinkUneven(Band& band, std::size_t column, Channels& whole, Channels& last) const;

  const Division division_;  // of a row
  const Division rows_;
  std::array<Cell, kSize> columns_;
  std::array<std::uint8_t, kWidth> cell_of_;
  std::vector<Content> cells_;
  std::vector<Block> blocks_;
  std::size_t num_blocks_ = 0;
  std::array<Shade, 64> shades_;
  Line whole_ = {};   // sums of a band's whole rows
  Line border_ = {};  // its last row
};

}  // namespace envpool::box2d
