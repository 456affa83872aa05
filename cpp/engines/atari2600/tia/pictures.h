// Pictures: the two pictures that a console draws into by turns. Rows that a short frame does not
// reach keep what was drawn two frames before.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace envpool::atari2600 {

inline constexpr int kWidth = 160;
inline constexpr int kMaxHeight = 250;
inline constexpr std::size_t kPictureSize = std::size_t{kWidth} * kMaxHeight;

class Pictures {
 public:
  using Picture = std::vector<std::uint8_t>;  // rows of colours, top to bottom

  explicit Pictures(int height = kMaxHeight) { Grow(height); }

  // Makes the pictures at least so high, but for a height that no picture has.
  void Grow(int height) {
    const auto rows = static_cast<std::size_t>(std::clamp(height, 1, kMaxHeight));
    for (Picture& picture : pictures_) picture.resize(std::max(picture.size(), rows * kWidth));
  }

  // Returns 0 or 1: which of the two is the front, the picture of the last frame that has begun.
  unsigned FrontIndex() const { return front_; }
  void SetFrontIndex(unsigned index) { front_ = index & 1; }
  void Swap() { front_ ^= 1; }

  Picture& Front() { return pictures_[front_]; }
  const Picture& Front() const { return pictures_[front_]; }
  Picture& Back() { return pictures_[front_ ^ 1]; }
  const Picture& Back() const { return pictures_[front_ ^ 1]; }

  void Clear() {
    for (Picture& picture : pictures_) std::ranges::fill(picture, 0);
  }

 private:
  std::array<Picture, 2> pictures_;
  unsigned front_ = 0;
};

}  // namespace envpool::atari2600
