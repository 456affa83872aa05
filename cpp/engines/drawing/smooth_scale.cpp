#include "drawing/smooth_scale.h"

#include <algorithm>

namespace envpool::drawing {

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

// Makes a line longer: each pixel of the result is a mix of two neighbours.
void GrowLine(int from, int to, const std::uint8_t* values, std::size_t stride,
              std::uint8_t* result, std::size_t result_stride) {
  for (int i = 0; i < to; ++i) {
    const std::int64_t place = std::int64_t{i} * (from - 1);
    const auto share = static_cast<unsigned>((place % to << 16) / to);
    const std::uint8_t* const left = values + static_cast<std::size_t>(place / to) * stride;
    *result = static_cast<std::uint8_t>((*left * (65536 - share) + left[stride] * share) >> 16);
    result += result_stride;
  }
}

// Makes lines of `from` values lines of `to` values, which is another number.
class LineScaler {
 public:
  LineScaler(int from, int to) : from_(from), to_(to) {
    if (to < from) division_ = Divide(from, to);
  }

  void operator()(const std::uint8_t* values, std::size_t stride, std::uint8_t* result,
                  std::size_t result_stride) const {
    if (to_ < from_) {
      ShrinkLine(division_, values, stride, result, result_stride);
    } else {
      GrowLine(from_, to_, values, stride, result, result_stride);
    }
  }

 private:
  const int from_;
  const int to_;
  Division division_;
};

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
  if (width != kWidth) {
    const LineScaler scale(kWidth, width);
    std::vector<std::uint8_t> scaled(columns * kHeight * kChannels);
    for (std::size_t y = 0; y < kHeight; ++y) {
      for (std::size_t c = 0; c < kChannels; ++c) {
        scale(&bytes[y * kWidth * kChannels + c], kChannels, &scaled[y * columns * kChannels + c],
              kChannels);
      }
    }
    bytes = std::move(scaled);
  }
  if (height == kHeight) {
    std::ranges::copy(bytes, result.begin());
    return;
  }
  const LineScaler scale(kHeight, height);
  const std::size_t row = columns * kChannels;
  for (std::size_t i = 0; i < row; ++i) scale(&bytes[i], row, &result[i], row);
}

}  // namespace envpool::drawing
