// Parts of the Atari family that work without a game.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "atari/controls.h"
#include "atari/md5.h"
#include "atari/palette.h"
#include "atari/stick.h"
#include "atari2600/packed_bytes.h"
#include "envpool/archive.h"
#include "numerics/mersenne_twister.h"

namespace envpool::atari {
namespace {

std::string Md5OfText(std::string_view text) {
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  return Md5Of(bytes);
}

// Those of RFC 1321.
TEST(Md5Test, KnowsItsDigests) {
  EXPECT_EQ(Md5OfText(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(Md5OfText("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(Md5OfText("1234567890123456789012345678901234567890"
                      "1234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(MersenneTwisterTest, IsThatOfTheStandardLibrary) {
  std::mt19937 expected(1234);
  numerics::MersenneTwister ours(1234);
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(ours.Next(), expected());
}

TEST(PaletteTest, GreysFollowTheirColours) {
  for (const bool is_pal : {false, true}) {
    const Palette& palette = PaletteOf(is_pal);
    EXPECT_EQ(palette[0], 0U);
    EXPECT_EQ(palette[14], 0xecececU);
    for (std::size_t i = 1; i < palette.size(); i += 2) {
      EXPECT_EQ(palette[i] % 0x010101, 0U);
    }
  }
  EXPECT_EQ(PaletteOf(false)[16], 0x484800U);
  EXPECT_EQ(PaletteOf(false)[17], 0x404040U);
}

std::vector<std::uint8_t> Picture(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = random() % 8 != 0 && i >= 40 ? bytes[i - 40] : static_cast<std::uint8_t>(random());
  }
  return bytes;
}

std::string Packed(std::vector<std::uint8_t> bytes, std::size_t begin) {
  std::string packed;
  Archive archive = Archive::Writer(packed);
  atari2600::TransferPacked(archive, bytes, begin, 40);
  return packed;
}

TEST(PackedBytesTest, AreTheSameAgain) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const std::vector<std::uint8_t> bytes = Picture(1000 + seed, seed);
    for (const std::size_t begin : {0U, 160U}) {
      const std::string packed = Packed(bytes, begin);
      EXPECT_LT(packed.size(), bytes.size());
      std::vector<std::uint8_t> read(bytes.size());
      std::copy_n(bytes.begin(), begin, read.begin());
      Archive archive = Archive::Reader(packed);
      atari2600::TransferPacked(archive, read, begin, 40);
      EXPECT_EQ(read, bytes);
      EXPECT_EQ(archive.Unread(), 0U);
    }
  }
}

TEST(PackedBytesTest, NothingElseIsRead) {
  const std::string packed = Packed(Picture(1000, 1), 0);
  std::mt19937 random(0);
  const auto read = [](const std::string& bytes, std::size_t size) {
    std::vector<std::uint8_t> picture(size);
    Archive archive = Archive::Reader(bytes);
    atari2600::TransferPacked(archive, picture, 0, 40);
  };
  EXPECT_THROW(read(packed, 999), std::invalid_argument);
  EXPECT_THROW(read(packed, 1001), std::invalid_argument);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = packed;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    try {
      read(damaged, 1000);
    } catch (const std::invalid_argument&) {
      // or another picture
    }
  }
}

TEST(StickTest, PointsWhereItIsHeld) {
  EXPECT_EQ(ActionOfStick({0.4F, 0.0F, 0.0F}, 0.5F), Action::kNoop);
  EXPECT_EQ(ActionOfStick({0.4F, 0.0F, 0.6F}, 0.5F), Action::kFire);
  EXPECT_EQ(ActionOfStick({1.0F, 0.0F, 0.0F}, 0.5F), Action::kRight);
  EXPECT_EQ(ActionOfStick({1.0F, 0.8F, 0.0F}, 0.5F), Action::kUpRight);
  EXPECT_EQ(ActionOfStick({1.0F, -1.6F, 1.0F}, 0.5F), Action::kDownFire);
  EXPECT_EQ(ActionOfStick({1.0F, 3.14F, 1.0F}, 0.5F), Action::kLeftFire);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(ActionOfStick({nan, 1e30F, nan}, 0.5F), Action::kNoop);
}

TEST(ControlsTest, PaddlesStopAtTheirEnds) {
  Controls controls(GameOf("breakout"));
  const auto turn = [&](Action action, float strength) {
    return controls.Hold({Deed{action, strength}}).tia.paddle[0];
  };
  const std::int32_t middle = turn(Action::kNoop, 1.0F);
  EXPECT_EQ(turn(Action::kRight, 0.5F), middle - 11500);
  EXPECT_EQ(turn(Action::kLeftFire, 1.0F), middle + 11500);
  for (int i = 0; i < 50; ++i) turn(Action::kRight, 1.0F);
  EXPECT_EQ(turn(Action::kRight, 1.0F), kLeastPaddle);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(turn(Action::kLeft, nan), 790196);
}

}  // namespace
}  // namespace envpool::atari
