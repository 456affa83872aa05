// Pictures whose rows share pixels show what plain ones would.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "atari2600/tia/pictures.h"

namespace envpool::atari2600 {
namespace {

TEST(Picture, IsAsOneWhoseRowsShareNothing) {
  constexpr unsigned kRows = kMaxHeight;
  std::mt19937 random(3);
  Picture picture;
  picture.Grow(kRows);
  std::vector<std::uint8_t> plain(kPictureSize);
  for (int i = 0; i < 20000; ++i) {
    const std::size_t row = 1 + random() % (kRows - 1);
    std::uint8_t* pixels = plain.data() + row * kWidth;
    const auto colour = static_cast<std::uint8_t>(random());
    switch (random() % 4) {
      case 0: picture.Change(row)[colour % kWidth] = pixels[colour % kWidth] = colour; break;
      case 1:
        std::fill_n(picture.Replace(row), kWidth, colour);
        std::fill_n(pixels, kWidth, colour);
        break;
      default: picture.Repeat(row); std::copy_n(pixels - kWidth, kWidth, pixels);
    }
    if (i % 100 == 0) {
      ASSERT_EQ(picture.Pixels(kRows), plain) << i;
    }
    ASSERT_EQ(picture.Row(row)[colour % kWidth], pixels[colour % kWidth]) << i;
  }
  Picture other;
  other.Grow(kRows);
  other.SetPixels(plain);
  EXPECT_EQ(other.Pixels(kRows), plain);
  picture.Clear();
  EXPECT_EQ(picture.Pixels(kRows), std::vector<std::uint8_t>(kPictureSize));
}

TEST(Picture, HasRoomForRowsThatAreAllDifferent) {
  Picture picture;
  picture.Grow(kMaxHeight);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t row = 0; row < kMaxHeight; ++row) {
      std::fill_n(picture.Replace(row), kWidth, static_cast<std::uint8_t>(row));
      EXPECT_FALSE(picture.Repeats(row));
    }
    for (std::size_t row = 0; row < kMaxHeight; ++row) EXPECT_EQ(picture.Row(row)[round], row);
    for (std::size_t row = 1; row < kMaxHeight; ++row) picture.Repeat(row);
    EXPECT_EQ(picture.Pixels(kMaxHeight), std::vector<std::uint8_t>(kPictureSize));
  }
}

}  // namespace
}  // namespace envpool::atari2600
