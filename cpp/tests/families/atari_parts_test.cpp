// Parts of the Atari family that work without a game.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "atari/controls.h"
#include "atari/stick.h"
#include "atari2600/packed_bytes.h"
#include "envpool/archive.h"

namespace envpool::atari {
namespace {

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
