#include "drawing/cell_surface.h"

#include <algorithm>

namespace envpool::drawing {

CellSurface::CellSurface()
    : division_(Divide(kWidth, kSize)),
      rows_(Divide(kHeight, kSize)),
      cells_(std::size_t{kHeight} * kSize),
      block_of_(cells_.size()) {
  std::ranges::copy(division_.cells, columns_.begin());
  // The cells leave no pixels over: the last cell's border is the last pixel.
  for (std::size_t i = 0; i < kSize; ++i) {
    for (int x = columns_[i].first; x <= columns_[i].border; ++x) {
      const auto column = static_cast<std::size_t>(x);
      cell_of_[column] = static_cast<std::uint8_t>(i);
      place_of_[column] = static_cast<std::uint8_t>(x - columns_[i].border + int{kBlockSize} - 1);
    }
  }
  FindContent(0);
}

void CellSurface::Clear() {
  std::ranges::fill(cells_, Content{0});
  num_blocks_ = 0;
  // Colours are kept, because the next picture mostly has the same.
  if (num_shades_ > kMostColours / 2) num_shades_ = 1;
  latest_ = 0;
}

CellSurface::Content CellSurface::FindContent(Pixel colour) {
  std::size_t i = 0;
  while (i < num_shades_ && shades_[i].colour != colour) ++i;
  if (i == kMostColours) return kMixed;
  if (i == num_shades_) {
    ++num_shades_;
    shades_[i].colour = colour;
    for (std::size_t x = 0; x < kSize; ++x) shades_[i].values[x] = ShrinkEven(x, colour, colour);
  }
  latest_ = static_cast<Content>(i);
  return latest_;
}

CellSurface::Block& CellSurface::Mingle(std::size_t row, std::size_t column) {
  if (num_blocks_ == blocks_.size()) blocks_.resize(2 * num_blocks_ + 1024);
  Content& content = cells_[row + column];
  const Pixel colour = shades_[content].colour;
  Block& block = blocks_[num_blocks_];
  const Block& own = kFrom[place_of_[static_cast<std::size_t>(columns_[column].first)]];
  for (std::size_t i = 0; i < kBlockSize; ++i) block[i] = own[i] & colour;
  block_of_[row + column] = static_cast<std::uint32_t>(num_blocks_++);
  content = kMixed;
  return block;
}

void CellSurface::FillMixed(std::size_t row, int first, int last, Pixel colour) {
  for (int x = first; x <= last; ++x) {
    PaintPart(row, cell_of_[static_cast<std::size_t>(x)], x, x, colour);
  }
}

// `whole` is the sum of the whole pixels.
Channels CellSurface::Shrink(std::size_t column, Pixel left, Channels whole, Pixel border) const {
  const unsigned left_share = column == 0 ? 0 : columns_[column - 1].next_share;
  const Channels sum = whole + (Channels(left) * 4).Share(left_share) +
                       (Channels(border) * 4).Share(columns_[column].share);
  return sum.Share(division_.reciprocal);
}

Channels CellSurface::ShrinkEven(std::size_t column, Pixel left, Pixel colour) const {
  const auto size = static_cast<unsigned>(columns_[column].border - columns_[column].first);
  return Shrink(column, left, Channels(colour) * size, colour);
}

CellSurface::Narrow CellSurface::ShrinkUneven(Band& band, std::size_t column) const {
  if (band.is_left_even) std::fill_n(band.left.begin(), band.rows, band.left[0]);
  Narrow narrow;
  Pixel differs = 0;
  for (std::size_t y = 0; y < band.rows; ++y) {
    const std::size_t cell = band.first + y * kSize + column;
    Pixel& left = band.left[y];
    narrow.whole = narrow.whole + narrow.last;
    if (cells_[cell] != kMixed) {
      const Pixel colour = shades_[cells_[cell]].colour;
      narrow.last = ShrinkEven(column, left, colour);
      left = colour;
    } else {
      const Block& block = blocks_[block_of_[cell]];
      const Pixel border = block.back();
      narrow.last = Shrink(column, left, Channels::Sum(block.data()) - Channels(border), border);
      left = border;
    }
    differs |= left ^ band.left[0];
  }
  band.is_left_even = differs == 0;
  return narrow;
}

void CellSurface::ScaleBand(const Cell& rows, std::uint8_t* result) {
  Band band;
  band.rows = static_cast<std::size_t>(rows.border - rows.first) + 1;
  band.first = static_cast<std::size_t>(rows.first) * kSize;
  const Content* const first_row = &cells_[band.first];
  // differs[i] tells whether column i's cell has other pixels than the cell before it.
  std::array<Content, kSize> differs = {};
  for (std::size_t y = 1; y < band.rows; ++y) {
    for (std::size_t i = 0; i < kSize; ++i) differs[i] |= first_row[y * kSize + i] ^ first_row[i];
  }
  const unsigned share = rows.share;
  const unsigned next_share = rows.next_share;
  const unsigned reciprocal = rows_.reciprocal;
  const auto whole_rows = static_cast<unsigned>(band.rows - 1);
  for (std::size_t i = 0; i < kSize; ++i) {
    Narrow narrow;
    if (differs[i] != 0 || first_row[i] == kMixed || !band.is_left_even) {
      narrow = ShrinkUneven(band, i);
    } else {
      const Shade& shade = shades_[first_row[i]];
      const bool is_same = i == 0 || shade.colour == band.left[0];
      narrow.last = is_same ? shade.values[i] : ShrinkEven(i, band.left[0], shade.colour);
      narrow.whole = narrow.last * whole_rows;
      band.left[0] = shade.colour;
    }
    const Channels border = narrow.last * 4;
    const Channels sum = before_[i] + narrow.whole + border.Share(share);
    before_[i] = border.Share(next_share);
    const Pixel pixel = sum.Share(reciprocal).ToPixel();
    result[3 * i] = static_cast<std::uint8_t>(pixel);
    result[3 * i + 1] = static_cast<std::uint8_t>(pixel >> 8);
    result[3 * i + 2] = static_cast<std::uint8_t>(pixel >> 16);
  }
}

void CellSurface::Scale(std::span<std::uint8_t> result) {
  before_.fill(Channels());
  for (std::size_t i = 0; i < kSize; ++i) ScaleBand(rows_.cells[i], &result[3 * kSize * i]);
}

}  // namespace envpool::drawing
