// The RIOT: its timer after it has expired, and how long a program waits for it.
#include "atari2600/riot.h"

#include <gtest/gtest.h>

#include "atari2600/cpu/opcodes.h"

namespace envpool::atari2600 {
namespace {

constexpr unsigned kTim1T = 0x294;
constexpr unsigned kTim64T = 0x296;
constexpr unsigned kIntim = 0x284;
constexpr unsigned kInstat = 0x285;

TEST(RiotTest, CountsCyclesOnceExpired) {
  Riot riot;
  riot.Write(kTim64T, 1, 0);
  EXPECT_EQ(riot.Read(kInstat, 65), 0x80);
  EXPECT_EQ(riot.Read(kIntim, 65), 255);
  Riot late;
  late.Write(kTim64T, 1, 0);
  EXPECT_EQ(late.Read(kIntim, 70), 0xfa);  // read for the first time, six cycles late
  EXPECT_EQ(late.Read(kInstat, 71), 0);    // which clears the flag,
  EXPECT_EQ(late.Read(kIntim, 120), 0xfa);
  EXPECT_EQ(late.Read(kIntim, 129), 0xf9);  // and counts ticks again
}

TEST(RiotTest, HasPorts) {
  Riot riot;
  riot.SetPorts(0x7f, 0x3f);
  EXPECT_EQ(riot.Read(0x280, 0), 0x7f);
  EXPECT_EQ(riot.Read(0x282, 0), 0x3f);
  riot.Write(0x281, 0x55, 0);
  EXPECT_EQ(riot.Read(0x281, 0), 0x55);
}

// True if a program that reads this goes round once more.
bool GoesRound(Operation branch, unsigned value) {
  if (branch == Operation::kBNE) return value != 0;
  return (value >= 0x80) == (branch == Operation::kBMI);
}

TEST(RiotTest, NeverWaitsTooLong) {
  for (const Operation branch : {Operation::kBNE, Operation::kBPL, Operation::kBMI}) {
    for (const unsigned port : {kTim1T, kTim64T}) {
      for (unsigned timer = 0; timer < 256; timer += 5) {
        Riot riot;
        riot.Write(port, static_cast<std::uint8_t>(timer), 1000);
        for (const unsigned period : {7U, 8U}) {
          const unsigned rounds = riot.RoundsToWait(branch, period, 1010);
          for (unsigned i = 0; i < rounds; ++i) {
            Riot copy = riot;
            ASSERT_TRUE(GoesRound(branch, copy.Read(kIntim, 1010 + i * period)));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace envpool::atari2600
