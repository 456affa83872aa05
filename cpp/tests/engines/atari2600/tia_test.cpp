// The TIA alone: frames and what is left of them, and that nothing written to it or read from a
// snapshot leads it out of its memory. What games show is compared with ALE by tests of Python.
#include "atari2600/tia/tia.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/archive.h"

namespace envpool::atari2600 {
namespace {

constexpr TiaConfig kSmallPicture = {.ystart = 2, .height = 6};
constexpr unsigned kLine = 76;  // cycles

// A TIA and its pictures, in a frame that has begun at cycle 0. Line 2 is the first row.
class Chip {
 public:
  explicit Chip(const TiaConfig& config = kSmallPicture) {
    tia.Reset(config);
    tia.StartFrame(0, true, pictures);
  }

  unsigned Write(unsigned line, unsigned cycle, unsigned reg, unsigned value) {
    return tia.Write(reg, value, line * kLine + cycle);
  }
  // Writes at the beginning of the frame.
  void Set(unsigned reg, unsigned value) { Write(0, 0, reg, value); }

  unsigned Read(unsigned line, unsigned cycle, unsigned reg) {
    return tia.Read(reg, 0, line * kLine + cycle);
  }

  // Ends the frame at the beginning of a line, three lines before which must be free.
  void EndFrame(unsigned line = 20) {
    Write(line - 3, 0, kVsync, 2);
    Write(line, 0, kVsync, 0);
    ASSERT_TRUE(tia.FrameIsOver());
    end_ = line * kLine;
  }
  void StartFrame(bool is_painted = true) { tia.StartFrame(end_, is_painted, pictures); }

  // Returns a row with a letter for each pixel: a colour of value 2 n is the n-th small letter.
  std::string Row(unsigned row) const {
    std::string text;
    for (unsigned x = 0; x < kWidth; ++x) {
      const unsigned colour = pictures.Front().Row(row)[x];
      text += colour == 0 ? '.' : static_cast<char>('a' + colour / 2 - 1);
    }
    return text;
  }

  Tia tia;
  Pictures pictures;

 private:
  unsigned end_ = 0;
};

// Returns the column of player 0 - one pixel - after RESP0, and HMOVE with a code, in lines before.
std::size_t ColumnOfPlayer(unsigned cycle_of_resp, unsigned cycle_of_hmove, unsigned code) {
  Chip chip;
  chip.Set(kColup0, 2);
  chip.Set(kGrp0, 0x80);
  chip.Write(3, cycle_of_resp, kResp0, 0);
  chip.Set(kHmp0, code << 4);
  chip.Write(4, cycle_of_hmove, kHmove, 0);
  chip.EndFrame();
  return chip.Row(4).find('a');
}

TEST(Tia, MovesObjects) {
  const unsigned at = 3 * 40 - 68 + 5;
  EXPECT_EQ(ColumnOfPlayer(40, 3, 7), at - 7);
  EXPECT_EQ(ColumnOfPlayer(40, 3, 1), at - 1);
  EXPECT_EQ(ColumnOfPlayer(40, 3, 15), at + 1);
  EXPECT_EQ(ColumnOfPlayer(40, 3, 8), at + 8);
  EXPECT_EQ(ColumnOfPlayer(75, 3, 8), 2U + 8U);  // around the end of the line
  EXPECT_EQ(ColumnOfPlayer(0, 3, 7), 3U + 160 - 7);
  EXPECT_EQ(ColumnOfPlayer(40, 10, 7), at - 2);  // later in the blank, a part of the way
  EXPECT_EQ(ColumnOfPlayer(40, 30, 7), at);
  EXPECT_EQ(ColumnOfPlayer(40, 70, 0), at - 5);  // still later, to the left
}

TEST(Tia, FindsEachPair) {
  // The latch's register and bit for each pair of M0, M1, P0, P1, BL, PF, all of which begin at 0.
  struct Pair {
    unsigned a, b, reg, bit;
  };
  constexpr Pair kPairs[] = {{0, 3, 0, 0x80}, {0, 2, 0, 0x40}, {1, 2, 1, 0x80}, {1, 3, 1, 0x40},
                             {2, 5, 2, 0x80}, {2, 4, 2, 0x40}, {3, 5, 3, 0x80}, {3, 4, 3, 0x40},
                             {0, 5, 4, 0x80}, {0, 4, 4, 0x40}, {1, 5, 5, 0x80}, {1, 4, 5, 0x40},
                             {4, 5, 6, 0x80}, {2, 3, 7, 0x80}, {0, 1, 7, 0x40}};
  constexpr TiaRegister kEnable[] = {kEnam0, kEnam1, kGrp0, kGrp1, kEnabl, kPf0};
  constexpr unsigned kOn[] = {2, 2, 0x80, 0x80, 2, 0x10};
  for (const Pair& pair : kPairs) {
    for (const bool is_painted : {true, false}) {
      Chip chip;
      chip.EndFrame();
      chip.StartFrame(is_painted);
      chip.Set(kEnable[pair.a], kOn[pair.a]);
      chip.Set(kEnable[pair.b], kOn[pair.b]);
      for (unsigned reg = 0; reg < 8; ++reg) {
        EXPECT_EQ(chip.Read(5, 0, reg), reg == pair.reg ? pair.bit : 0U);
      }
    }
  }
}

TEST(Tia, ComparesPaddlesUnsignedAfterAFrame) {
  Chip chip;
  chip.tia.SetInputs({.paddle = {100000, 10000, kNoPaddle, kNoPaddle}});
  chip.Write(0, 0, kVblank, 0x80);
  chip.Write(19, 0, kVblank, 0);
  chip.EndFrame(20);
  chip.StartFrame();
  // The dump ended at cycle -76: for one paddle the sum is 190 - 76, for the other 1904 - 76.
  EXPECT_EQ(chip.tia.Read(8, 0, 1828), 0);
  EXPECT_EQ(chip.tia.Read(8, 0, 1829), 0x80);
  EXPECT_EQ(chip.tia.Read(9, 0, 115), 0x80);
  chip.tia.SetInputs({.paddle = {1000, 0, kNoPaddle, kNoPaddle}});
  EXPECT_EQ(chip.tia.Read(8, 0, 500), 0);  // 19 - 76 wraps around
}

TEST(Tia, EndsFramesThatAreTooLong) {
  for (const bool is_pal : {false, true}) {
    const unsigned limit = is_pal ? 343 : 291;
    Chip chip({.ystart = 2, .height = 6, .is_pal = is_pal});
    chip.tia.Write(kAudc0, 0, limit * kLine - 1);
    EXPECT_FALSE(chip.tia.FrameIsOver());
    chip.tia.Write(kAudc0, 0, limit * kLine);
    EXPECT_TRUE(chip.tia.FrameIsOver());
    EXPECT_EQ(chip.tia.Reach(), 6 * kClocksPerLine);
  }
}

TEST(Tia, KeepsRowsThatAFrameDoesNotReach) {
  Chip chip;
  for (unsigned frame = 1; frame <= 3; ++frame) {
    chip.Set(kColubk, 2 * frame);
    chip.EndFrame(frame == 3 ? 4 : 20);
    if (frame < 3) chip.StartFrame();
  }
  EXPECT_EQ(chip.Row(1), std::string(kWidth, 'c'));
  EXPECT_EQ(chip.Row(2), std::string(kWidth, 'a'));
}

TEST(Tia, GreysWhatAnUnfinishedFrameHasNotReached) {
  Chip chip;
  chip.Set(kColubk, 0x1e);
  chip.EndFrame();
  chip.StartFrame();
  chip.EndFrame();
  chip.StartFrame();
  chip.Write(4, 0, kAudc0, 0);
  chip.tia.LeaveUnfinished(5 * kLine);
  EXPECT_EQ(chip.pictures.Front().Row(2)[0], 0x1e);
  EXPECT_EQ(chip.pictures.Front().Row(3)[0], 7);
  chip.tia.Resume(true, chip.pictures);
  chip.EndFrame();
  EXPECT_EQ(chip.pictures.Front().Row(3)[0], 0x1e);
}

TEST(Tia, ChangesColoursOfPalAfterAnOddNumberOfLines) {
  Chip chip({.ystart = 2, .height = 6, .is_pal = true});
  chip.Set(kColubk, 4);
  chip.EndFrame(21);
  chip.StartFrame();
  chip.EndFrame(20);
  EXPECT_EQ(chip.pictures.Front().Row(0)[0], 5);
  chip.StartFrame();
  chip.EndFrame(20);
  EXPECT_EQ(chip.pictures.Front().Row(0)[0], 4);
}

TEST(Tia, RefusesImpossiblePictures) {
  Tia tia;
  EXPECT_THROW(tia.Reset({.height = kMaxHeight + 1}), std::invalid_argument);
  EXPECT_THROW(tia.Reset({.height = 0}), std::invalid_argument);
  EXPECT_THROW(tia.Reset({.ystart = -1}), std::invalid_argument);
  EXPECT_THROW(tia.Reset({.ystart = kMostYstart + 1}), std::invalid_argument);
}

// Plays a part of a frame with anything that a program could do. Returns the cycle of its end.
unsigned PlayGarbage(Tia& tia, std::mt19937& random) {
  unsigned cycles = 0;
  const unsigned writes = random() % 2000;
  for (unsigned i = 0; i < writes && !tia.FrameIsOver(); ++i) {
    cycles += random() % 4 == 0 ? random() % 200 : random() % 12;
    if (random() % 16 == 0) {
      (void)tia.Read(random(), static_cast<std::uint8_t>(random()), cycles);
    } else {
      cycles = tia.Write(random() % 64, random() % 256, cycles);
    }
  }
  return cycles;
}

// Plays frames, some of them unfinished, some of them unpainted.
void PlayGarbageFrames(Tia& tia, Pictures& pictures, std::mt19937& random, int frames) {
  unsigned cycles = random() % 1000;
  for (int frame = 0; frame < frames; ++frame) {
    const bool is_painted = random() % 2 == 0;
    if (tia.FrameIsOver()) {
      tia.StartFrame(cycles, is_painted, pictures);
    } else {
      tia.Rebase(cycles / (2 * kLine) * (2 * kLine));
      tia.Resume(is_painted, pictures);
    }
    cycles = PlayGarbage(tia, random);
    if (!tia.FrameIsOver()) tia.LeaveUnfinished(cycles);
  }
}

std::string Save(Tia& tia) {
  std::string bytes;
  Archive archive = Archive::Writer(bytes);
  tia.Serialize(archive);
  return bytes;
}

TEST(Tia, PlaysGarbageTheSameFromASnapshot) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    const TiaConfig config = {.ystart = static_cast<int>(seed % 41),
                              .height = static_cast<int>(150 + seed),
                              .is_pal = seed % 2 == 0};
    Tia tia;
    Pictures pictures;
    tia.Reset(config);
    PlayGarbageFrames(tia, pictures, random, 20);
    if (seed % 4 == 0) tia.Reset(config);
    Tia other;
    other.Reset(config);
    const std::string bytes = Save(tia);
    Archive archive = Archive::Reader(bytes);
    other.Serialize(archive);
    EXPECT_EQ(archive.Unread(), 0U);
    Pictures other_pictures = pictures;
    std::mt19937 other_random = random;
    PlayGarbageFrames(tia, pictures, random, 20);
    PlayGarbageFrames(other, other_pictures, other_random, 20);
    ASSERT_EQ(Save(tia), Save(other)) << seed;
    ASSERT_EQ(pictures.Front().Pixels(kMaxHeight), other_pictures.Front().Pixels(kMaxHeight))
        << seed;
  }
}

TEST(Tia, SurvivesGarbageSnapshots) {
  std::mt19937 random(1);
  Tia tia;
  Pictures pictures;
  tia.Reset({});
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = Save(tia);
    for (unsigned n = random() % 8; n > 0; --n) {
      bytes[random() % bytes.size()] =
          static_cast<char>(random() % 4 == 0 ? random() % 3 : random());
    }
    Archive archive = Archive::Reader(bytes);
    try {
      tia.Serialize(archive);
      ++accepted;
    } catch (const std::invalid_argument&) {
    }
    PlayGarbageFrames(tia, pictures, random, 1);
  }
  EXPECT_GT(accepted, 300);
}

}  // namespace
}  // namespace envpool::atari2600
