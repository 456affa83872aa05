#include "box2d/cell_surface.h"

#include <algorithm>
#include <cstring>

namespace envpool::box2d {

namespace {

using Channels = std::uint64_t;

constexpr Channels Spread(Pixel pixel) {
  return (pixel & 0xff00ffU) | Channels{pixel >> 8 & 0xffU} << 32;
}

// Each channel times `factor`, in units of 1 / 65536. Requires products of less than 2^32.
constexpr Channels Times(Channels channels, std::uint32_t factor) {
  constexpr Channels kEven = 0x0000ffff0000ffff;
  const Channels even = (channels & kEven) * factor >> 16 & kEven;
  const Channels odd = (channels >> 16 & kEven) * factor >> 16 & kEven;
  return even | odd << 16;
}

}  // namespace

CellSurface::CellSurface()
    : division_(Divide(kWidth, kSize)),
      rows_(Divide(kHeight, kSize)),
      cells_(std::size_t{kHeight} * kSize) {
  std::ranges::copy(division_.cells, columns_.begin());
  // Nothing is left over: the last cell's border is the last pixel.
  for (std::size_t i = 0; i < kSize; ++i) {
    for (int x = columns_[i].first; x <= columns_[i].border; ++x) {
      cell_of_[static_cast<std::size_t>(x)] = static_cast<std::uint8_t>(i);
    }
  }
}

void CellSurface::Clear() {
  std::ranges::fill(cells_, Content{0});
  num_blocks_ = 0;
}

CellSurface::Block& CellSurface::Mingle(Content& content, std::size_t column) {
  if (num_blocks_ == blocks_.size()) blocks_.resize(2 * num_blocks_ + 1024);
  Block& block = blocks_[num_blocks_];
  const std::size_t first = PlaceOf(column, columns_[column].first);
  for (std::size_t i = 0; i < kBlockSize; ++i) block[i] = i < first ? 0 : content;
  content = kMixed | static_cast<Content>(num_blocks_++);
  return block;
}

// `whole` is the sum of the whole pixels.
CellSurface::Channels CellSurface::Shrink(std::size_t column, Pixel left, Channels whole,
                                          Pixel border) const {
  const unsigned left_share = column == 0 ? 0 : columns_[column - 1].next_share;
  const Channels sum = whole + Times(Spread(left), 4 * left_share) +
                       Times(Spread(border), 4 * columns_[column].share);
  return Times(sum, division_.reciprocal);
}

const CellSurface::Shade& CellSurface::ShadeOf(Pixel colour) {
  Shade& shade = shades_[(colour * 2654435761U >> 8) % shades_.size()];
  if (shade.colour != colour) {
    shade.colour = colour;
    for (std::size_t i = 0; i < kSize; ++i) {
      const auto size = static_cast<Channels>(columns_[i].border - columns_[i].first);
      shade.values[i] = Shrink(i, colour, Spread(colour) * size, colour);
    }
  }
  return shade;
}

// Sets `border` to the cell's last pixel.
CellSurface::Channels CellSurface::ShrinkCell(std::size_t column, Pixel left, Content content,
                                              Pixel& border) const {
  if ((content & kMixed) == 0) {
    border = content;
    const auto size = static_cast<Channels>(columns_[column].border - columns_[column].first);
    return Shrink(column, left, Spread(content) * size, content);
  }
  const Block& block = blocks_[content & ~kMixed];
  Pixel red_blue = 0;
  Pixel green = 0;
  for (std::size_t i = 0; i + 1 < kBlockSize; ++i) {
    red_blue += block[i] & 0xff00ffU;
    green += block[i] >> 8 & 0xffU;
  }
  border = block.back();
  return Shrink(column, left, red_blue | Channels{green} << 32, border);
}

void CellSurface::ShrinkUneven(Band& band, std::size_t column, Channels& whole,
                               Channels& last) const {
  if (band.is_left_even) std::fill_n(band.left.begin() + 1, band.rows - 1, band.left[0]);
  whole = 0;
  for (std::size_t y = 0; y < band.rows; ++y) {
    whole += last;
    last = ShrinkCell(column, band.left[y], band.first[y * kSize + column], band.left[y]);
  }
  band.is_left_even =
      std::all_of(band.left.begin(), band.left.begin() + static_cast<std::ptrdiff_t>(band.rows),
                  [&band](Pixel pixel) { return pixel == band.left[0]; });
}

void CellSurface::ShrinkBand(Band& band) {
  // Which columns' cells differ.
  std::array<Content, kSize> differs = {};
  for (std::size_t y = 1; y < band.rows; ++y) {
    for (std::size_t i = 0; i < kSize; ++i) differs[i] |= band.first[y * kSize + i] ^ band.first[i];
  }
  const Shade* shade = &shades_[0];
  for (std::size_t i = 0; i < kSize; ++i) {
    const Content content = band.first[i];
    Channels whole = 0;
    Channels last = 0;
    if (differs[i] != 0 || (content & kMixed) != 0 || !band.is_left_even) {
      ShrinkUneven(band, i, whole, last);
    } else {
      if (i == 0 || content == band.left[0]) {
        if (shade->colour != content) shade = &ShadeOf(content);
        last = shade->values[i];
      } else {
        last = ShrinkCell(i, band.left[0], content, band.left[0]);
      }
      band.left[0] = content;
      whole = last * (band.rows - 1);
    }
    std::memcpy(&whole_[4 * i], &whole, sizeof whole);
    std::memcpy(&border_[4 * i], &last, sizeof last);
  }
}

void CellSurface::Scale(std::span<std::uint8_t> result) {
  Line before = {};  // what the band before leaves
  Line line;
  std::size_t at = 0;
  for (const Cell& cell : rows_.cells) {
    Band band;
    band.rows = static_cast<std::size_t>(cell.border - cell.first) + 1;
    band.first = RowAt(cell.first);
    ShrinkBand(band);
    const auto reciprocal = static_cast<std::uint16_t>(rows_.reciprocal);
    const auto share = static_cast<std::uint16_t>(cell.share);
    const auto next_share = static_cast<std::uint16_t>(cell.next_share);
    for (std::size_t i = 0; i < kLanes; ++i) {
      const auto high = [](std::uint16_t a, std::uint16_t b) {
        return static_cast<std::uint16_t>((std::uint32_t{a} * b) >> 16);
      };
      const auto border = static_cast<std::uint16_t>(4 * border_[i]);
      const auto sum = static_cast<std::uint16_t>(before[i] + whole_[i] + high(border, share));
      line[i] = high(sum, reciprocal);
      before[i] = high(border, next_share);
    }
    for (std::size_t i = 0; i < kSize; ++i) {
      Channels channels;
      std::memcpy(&channels, &line[4 * i], sizeof channels);
      result[at++] = static_cast<std::uint8_t>(channels);
      result[at++] = static_cast<std::uint8_t>(channels >> 32);
      result[at++] = static_cast<std::uint8_t>(channels >> 16);
    }
  }
}

}  // namespace envpool::box2d
