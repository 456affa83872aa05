// Pictures: the two pictures that a console draws into by turns. Rows that a short frame does not
// reach keep what was drawn two frames before.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace envpool::atari2600 {

inline constexpr int kWidth = 160;
inline constexpr int kMaxHeight = 250;
inline constexpr std::size_t kPictureSize = std::size_t{kWidth} * kMaxHeight;

// Rows of colours, top to bottom. Most rows of most games are like the one above: these share its
// pixels, which makes pictures small, and quick to repeat a row in and to compare.
class Picture {
 public:
  Picture() { Clear(); }

  // Makes it at least so high.
  void Grow(std::size_t height) {
    changed_row_ = kNone;
    for (std::size_t row = places_.size(); row < height; ++row) {
      places_.push_back(places_.back());
      ++uses_[places_.back()];
    }
  }

  void Clear() {
    changed_row_ = kNone;
    std::ranges::fill(places_, std::uint8_t{0});
    pixels_.assign(kWidth, 0);
    free_.clear();
    uses_ = {};
    uses_[0] = static_cast<std::uint8_t>(places_.size());
  }

  const std::uint8_t* Row(std::size_t row) const {
    return pixels_.data() + std::size_t{places_[row]} * kWidth;
  }

  // True if the row shares the pixels of the one above.
  bool Repeats(std::size_t row) const { return row > 0 && places_[row] == places_[row - 1]; }

  // Returns the row's pixels, to change some of them, until the next call.
  std::uint8_t* Change(std::size_t row) {
    if (row == changed_row_) return pixels_.data() + changed_at_;
    const std::size_t old = places_[row];
    std::uint8_t* pixels = Replace(row);
    if (old != places_[row]) std::memcpy(pixels, pixels_.data() + old * kWidth, kWidth);
    return pixels;
  }

  // The same, to write all of them: they are anything.
  std::uint8_t* Replace(std::size_t row) {
    if (uses_[places_[row]] > 1) {
      if (free_.empty()) AddPlaces();
      --uses_[places_[row]];
      places_[row] = free_.back();
      uses_[places_[row]] = 1;
      free_.pop_back();
    }
    changed_row_ = row;
    changed_at_ = std::size_t{places_[row]} * kWidth;
    return pixels_.data() + changed_at_;
  }

  // Makes a row, which is not the first one, like the one above.
  void Repeat(std::size_t row) {
    changed_row_ = kNone;
    if (Repeats(row)) return;
    if (--uses_[places_[row]] == 0) free_.push_back(places_[row]);
    places_[row] = places_[row - 1];
    ++uses_[places_[row]];
  }

  // Return and set the pixels of the first rows.
  std::vector<std::uint8_t> Pixels(std::size_t rows) const {
    std::vector<std::uint8_t> pixels(rows * kWidth);
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(pixels.data() + row * kWidth, Row(row), kWidth);
    }
    return pixels;
  }
  void SetPixels(std::span<const std::uint8_t> pixels) {
    for (std::size_t row = 0; row < pixels.size() / kWidth; ++row) {
      const std::uint8_t* values = pixels.data() + row * kWidth;
      if (row > 0 && std::memcmp(values, values - kWidth, kWidth) == 0) {
        Repeat(row);
      } else {
        std::memcpy(Replace(row), values, kWidth);
      }
    }
  }

 private:
  static constexpr std::size_t kNone = kMaxHeight;

  // Makes room for some rows more. There is always a free place if each row has one of its own.
  void AddPlaces() {
    constexpr std::size_t kMorePlaces = 8;
    const std::size_t places = pixels_.size() / kWidth;
    pixels_.reserve((places + kMorePlaces) * kWidth);  // no more than that
    pixels_.resize((places + kMorePlaces) * kWidth);
    for (std::size_t i = kMorePlaces; i > 0; --i) {
      free_.push_back(static_cast<std::uint8_t>(places + i - 1));
    }
  }

  std::vector<std::uint8_t> pixels_;         // of rows, place by place
  std::vector<std::uint8_t> places_{0};      // of the rows' pixels
  std::vector<std::uint8_t> free_;           // places without a row
  std::array<std::uint8_t, 256> uses_ = {};  // how many rows have a place

  // The row that was changed last, if it still has its place for itself: mostly it is changed
  // again.
  std::size_t changed_row_ = kNone;
  std::size_t changed_at_ = 0;
};

class Pictures {
 public:
  explicit Pictures(int height = kMaxHeight) { Grow(height); }

  // Makes the pictures at least so high, but for a height that no picture has.
  void Grow(int height) {
    const auto rows = static_cast<std::size_t>(std::clamp(height, 1, kMaxHeight));
    for (Picture& picture : pictures_) picture.Grow(rows);
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
    for (Picture& picture : pictures_) picture.Clear();
  }

 private:
  std::array<Picture, 2> pictures_;
  unsigned front_ = 0;
};

}  // namespace envpool::atari2600
