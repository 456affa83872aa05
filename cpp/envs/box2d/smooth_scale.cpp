#include "box2d/smooth_scale.h"

#include <algorithm>

namespace envpool::box2d {

namespace {

// Shrinks lines of `stride`-spaced values: values[i * stride] for i < from.
// 16 bits, because pygame's sums overflow so.
void ShrinkLine(const Division& division, const std::uint8_t* values, std::size_t stride,
                std::uint8_t* result, std::size_t result_stride) {
  std::uint16_t sum = 0;
  for (const Cell& cell : division.cells) {
    for (int i = cell.first; i < cell.border; ++i) {
      sum = static_cast<std::uint16_t>(sum + values[static_cast<std::size_t>(i) * stride]);
    }
    const unsigned border = values[static_cast<std::size_t>(cell.border) * stride];
    sum = static_cast<std::uint16_t>(sum + ShareOf(border, cell.share));
    *result = static_cast<std::uint8_t>(std::min(sum * division.reciprocal >> 16, 255U));
    result += result_stride;
    sum = static_cast<std::uint16_t>(ShareOf(border, cell.next_share));
  }
}

}  // namespace

Division Divide(int from, int to) {
  const auto length = static_cast<int>(kShareOne) * from / to;
  Division division{{}, static_cast<std::uint32_t>((1 << 30) / length)};
  int left = length;
  int first = 0;
  for (int i = 0; i < from; ++i) {
    if (left > static_cast<int>(kShareOne)) {
      left -= static_cast<int>(kShareOne);
      continue;
    }
    const auto share = static_cast<unsigned>(left);
    division.cells.push_back({first, i, share, kShareOne - share});
    first = i + 1;
    left += length - static_cast<int>(kShareOne);
  }
  return division;
}

void SmoothScale(std::span<const Pixel> picture, int width, int height,
                 std::span<std::uint8_t> result) {
  constexpr std::size_t kChannels = 3;
  const auto columns = static_cast<std::size_t>(width);
  std::vector<std::uint8_t> bytes(picture.size() * kChannels);
  for (std::size_t i = 0; i < picture.size(); ++i) {
    for (std::size_t c = 0; c < kChannels; ++c) {
      bytes[i * kChannels + c] = static_cast<std::uint8_t>(picture[i] >> (8 * c));
    }
  }
  if (width < kWidth) {
    const Division division = Divide(kWidth, width);
    std::vector<std::uint8_t> narrow(columns * kHeight * kChannels);
    for (std::size_t y = 0; y < kHeight; ++y) {
      for (std::size_t c = 0; c < kChannels; ++c) {
        ShrinkLine(division, &bytes[y * kWidth * kChannels + c], kChannels,
                   &narrow[y * columns * kChannels + c], kChannels);
      }
    }
    bytes = std::move(narrow);
  }
  if (height == kHeight) {
    std::ranges::copy(bytes, result.begin());
    return;
  }
  const Division division = Divide(kHeight, height);
  const std::size_t row = columns * kChannels;
  for (std::size_t i = 0; i < row; ++i) ShrinkLine(division, &bytes[i], row, &result[i], row);
}

}  // namespace envpool::box2d
