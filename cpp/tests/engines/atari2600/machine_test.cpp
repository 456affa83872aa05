// Machines: whatever is painted or not, what is looked at is right; snapshots; power-on.
#include "atari2600/machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "console_fixture.h"
#include "envpool/archive.h"

namespace envpool::atari2600 {
namespace {

constexpr MachineConfig kConfig = {.ystart = 4, .height = 40};

// A game whose frames end early now and then, so that they show parts of earlier ones, and some of
// which take so many instructions that they are left unfinished.
std::shared_ptr<const Rom> ShortFrames() {
  std::vector<std::uint8_t> bytes = Program({
      0xe6, 0x80,              // frame: INC $80
      0xa9, 0x02, 0x85, 0x00,  //   LDA #2; STA VSYNC
      0x85, 0x02, 0x85, 0x02,  //   STA WSYNC; STA WSYNC
      0x85, 0x02,              //   STA WSYNC
      0xa9, 0x00, 0x85, 0x00,  //   LDA #0; STA VSYNC
      0xa5, 0x80, 0x29, 0x07,  //   LDA $80; AND #7
      0xaa, 0xbc, 0x00, 0xf1,  //   TAX; LDY lengths,X
      0x85, 0x02,              // line: STA WSYNC
      0x98, 0x45, 0x80,        //   TYA; EOR $80
      0x85, 0x09, 0x85, 0x06,  //   STA COLUBK; STA COLUP0
      0x85, 0x1b, 0x88,        //   STA GRP0; DEY
      0xd0, 0xf4,              //   BNE line
      0xe0, 0x05, 0xd0, 0xd5,  //   CPX #5; BNE frame
      0xa0, 0x28,              //   LDY #40
      0xa2, 0x00,              // outer: LDX #0
      0xe8, 0xea, 0xd0, 0xfc,  // inner: INX; NOP; BNE inner
      0x88, 0xd0, 0xf7,        //   DEY; BNE outer
      0x4c, 0x00, 0xf0,        //   JMP frame
  });
  Place(bytes, 0xf100, {40, 20, 44, 30, 10, 41, 8, 44});
  return Rom::Load(bytes, CartridgeKind::k4K);
}

std::unique_ptr<Machine> MakeMachine() {
  auto machine = std::make_unique<Machine>(ShortFrames(), kConfig);
  machine->Reset();
  return machine;
}

bool LookAlike(const Machine& a, const Machine& b) {
  return std::ranges::equal(a.Screen(), b.Screen()) && std::ranges::equal(a.Ram(), b.Ram());
}

std::string StateOf(Machine& machine) {
  std::string bytes;
  Archive writer = Archive::Writer(bytes);
  machine.Serialize(writer);
  return bytes;
}

void Restore(Machine& machine, const std::string& state) {
  Archive reader = Archive::Reader(state);
  machine.Serialize(reader);
  EXPECT_EQ(reader.Unread(), 0U);
}

TEST(MachineTest, ShowsWhatUnpaintedFramesLeave) {
  std::mt19937 random(1);
  const auto painted = MakeMachine();
  const auto unpainted = MakeMachine();
  unsigned chance = 1;  // of 8
  for (int frame = 0; frame < 3000; ++frame) {
    if (frame % 100 == 0) chance = static_cast<unsigned>(random() % 8);
    painted->RunFrame({}, true);
    const bool paints = random() % 8 < chance;
    unpainted->RunFrame({}, paints);
    if (!paints && random() % 16 == 0) {
      unpainted->PaintLast();
    } else if (!paints) {
      continue;
    }
    ASSERT_TRUE(LookAlike(*painted, *unpainted)) << "frame " << frame;
  }
}

TEST(MachineTest, GoesOnFromSnapshots) {
  std::mt19937 random(2);
  const auto machine = MakeMachine();
  auto other = MakeMachine();
  for (int frame = 0; frame < 500; ++frame) {
    const bool paints = random() % 2 == 0;
    machine->RunFrame({}, paints);
    other->RunFrame({}, true);
    if (random() % 10 == 0) {
      if (random() % 2 == 0) other = MakeMachine();
      Restore(*other, StateOf(*machine));
      ASSERT_TRUE(LookAlike(*machine, *other)) << "frame " << frame;
      ASSERT_EQ(StateOf(*machine), StateOf(*other));
    } else if (paints) {
      ASSERT_TRUE(LookAlike(*machine, *other)) << "frame " << frame;
    }
  }
}

TEST(MachineTest, ResetsKeepRamAndRandomNumbers) {
  const auto machine = MakeMachine();
  const auto other = MakeMachine();
  EXPECT_TRUE(LookAlike(*machine, *other));
  std::mt19937 random(4753849);
  for (const std::uint8_t byte : machine->Ram()) {
    EXPECT_EQ(byte, static_cast<std::uint8_t>(random()));
  }
  const std::string first = StateOf(*machine);
  machine->Reset();
  EXPECT_TRUE(LookAlike(*machine, *other));
  EXPECT_NE(StateOf(*machine), first);  // the timer
  Restore(*machine, first);
  EXPECT_EQ(StateOf(*machine), first);
}

TEST(MachineTest, StatesAreSmall) {
  const auto machine = MakeMachine();
  machine->RunFrame({}, true);
  EXPECT_LT(StateOf(*machine).size(), 2000U);
}

TEST(MachineTest, RefusesPicturesThatItCannotShow) {
  EXPECT_THROW(Machine(ShortFrames(), {.height = kMaxHeight + 1}), std::invalid_argument);
  EXPECT_THROW(Machine(ShortFrames(), {.height = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace envpool::atari2600
