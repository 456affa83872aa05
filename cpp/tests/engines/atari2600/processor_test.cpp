// The processor: cycles of branches, the instructions that nobody documented, and where code runs.
// What games compute with it is compared with ALE by tests of Python.
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "atari2600/cpu/opcodes.h"
#include "console_fixture.h"

namespace envpool::atari2600 {
namespace {

constexpr std::uint8_t kClc = 0x18;
constexpr std::uint8_t kSec = 0x38;

TEST(OpcodesTest, AreTheOnesOfThe6502) {
  unsigned jams = 0;
  for (unsigned code = 0; code < 256; ++code) {
    jams += kOpcodes[code].operation == Operation::kJAM ? 1 : 0;
    // All instructions of the columns with odd numbers but 0xB are of the same four kinds.
    if ((code & 0x1f) == 0x05) {
      EXPECT_EQ(kOpcodes[code].mode, Mode::kZeroPage);
      EXPECT_EQ(kOpcodes[code].cycles, 3);
    }
    if ((code & 0x1f) == 0x10) {
      EXPECT_EQ(kOpcodes[code].mode, Mode::kRelative);
    }
  }
  EXPECT_EQ(jams, 12U);
  EXPECT_EQ(kOpcodes[0xa9].operation, Operation::kLDA);
  EXPECT_EQ(kOpcodes[0x6c].mode, Mode::kIndirect);
  EXPECT_EQ(kOpcodes[0x9e].operation, Operation::kSHX);
}

TEST(ProcessorTest, BranchesTakeTheirTime) {
  EXPECT_EQ(ProgramRun({kClc, 0xb0, 0x10}).Cycles(), 2U + 2);        // not taken
  EXPECT_EQ(ProgramRun({kClc, 0x90, 0x10}).Cycles(), 2U + 3);        // taken
  EXPECT_EQ(ProgramRun({kClc, 0x90, 0x7d, 0x02}).Cycles(), 2U + 3);  // to 0xF080
  std::vector<std::uint8_t> bytes = Program({0x4c, 0xf0, 0xf0});     // JMP $F0F0
  Place(bytes, 0xf0f0, {kClc, 0x90, 0x10});                          // BCC $F103
  EXPECT_EQ(ProgramRun(bytes).Cycles(), 3U + 2 + 4);
}

TEST(ProcessorTest, IndirectJumpsStayWithinThePage) {
  std::vector<std::uint8_t> bytes = Program({0x6c, 0xff, 0xf1});  // JMP ($F1FF)
  Place(bytes, 0xf1ff, {0x34});
  Place(bytes, 0xf200, {0xf5});
  Place(bytes, 0xf100, {0xf3});
  const ProgramRun run(bytes);
  EXPECT_EQ(run.registers().pc, 0xf334);
  EXPECT_EQ(run.Cycles(), 5U);
}

TEST(ProcessorTest, KnowsWhatNobodyDocumented) {
  // LDA #$0F; STA $80; then one of them.
  const auto run = [](std::initializer_list<std::uint8_t> rest) {
    std::vector<std::uint8_t> bytes = Program({0xa9, 0x0f, 0x85, 0x80, 0xa2, 0x3c, kSec});
    Place(bytes, 0xf007, rest);
    return ProgramRun(bytes);
  };
  EXPECT_EQ(run({0xa7, 0x80}).registers().x, 0x0f);    // LAX
  EXPECT_EQ(run({0x87, 0x80}).Ram(0x80), 0x0cU);       // SAX
  EXPECT_EQ(run({0xc7, 0x80}).Ram(0x80), 0x0eU);       // DCP
  EXPECT_EQ(run({0xe7, 0x80}).registers().a, 0xff);    // ISC: 0x0F - 0x10
  EXPECT_EQ(run({0x07, 0x80}).registers().a, 0x1f);    // SLO: 0x0F | 0x1E
  EXPECT_EQ(run({0x27, 0x80}).registers().a, 0x0f);    // RLA: 0x0F & 0x1F
  EXPECT_EQ(run({0x47, 0x80}).registers().a, 0x08);    // SRE: 0x0F ^ 0x07
  EXPECT_EQ(run({0x67, 0x80}).registers().a, 0x97);    // RRA: 0x0F + 0x87 + 1
  EXPECT_EQ(run({0xcb, 0x02}).registers().x, 0x0a);    // SBX: (0x0F & 0x3C) - 2
  EXPECT_EQ(run({0x4b, 0x03}).registers().a, 0x01);    // ALR
  EXPECT_EQ(run({0x0b, 0x8f}).registers().carry, 0U);  // ANC
  EXPECT_EQ(run({0x6b, 0x0c}).registers().a, 0x86);    // ARR
  EXPECT_EQ(run({0x8b, 0xff}).registers().a, 0x2c);    // ANE: (0x0F | 0xEE) & 0x3C
  EXPECT_EQ(run({0xab, 0xff}).registers().x, 0xef);    // LXA
}

TEST(ProcessorTest, CallsAndReturns) {
  // JSR $F010; at $F010 PHP; PLP; RTS
  std::vector<std::uint8_t> bytes = Program({0x20, 0x10, 0xf0});
  Place(bytes, 0xf010, {0x08, 0x28, 0x60});
  const ProgramRun run(bytes);
  EXPECT_EQ(run.registers().pc, 0xf003);
  EXPECT_EQ(run.registers().stack, 0xff);
  EXPECT_EQ(run.Ram(0xff), 0xf0U);
  EXPECT_EQ(run.Ram(0xfe), 0x02U);
  EXPECT_EQ(run.Ram(0xfd), 0x30U);
  EXPECT_EQ(run.Cycles(), 6U + 3 + 4 + 6);
}

// What waits, once in ROM, where the interpreter computes it, and once in RAM, where it runs it.
void ExpectSameInRam(std::initializer_list<std::uint8_t> before,
                     std::initializer_list<std::uint8_t> loop) {
  std::vector<std::uint8_t> in_rom = Program(before);
  const auto at = static_cast<unsigned>(before.size());
  Place(in_rom, 0xf000 + at, {0x4c, 0x00, 0xf1});  // JMP $F100
  Place(in_rom, 0xf100, loop);
  std::vector<std::uint8_t> in_ram(kViewSize, kJam);
  Place(in_ram, 0xfffc, {0x00, 0xf0});
  unsigned address = 0xf000;
  for (unsigned cell = 0x90; const std::uint8_t byte : loop) {
    const auto to = static_cast<std::uint8_t>(cell++);
    Place(in_ram, address, {0xa9, byte, 0x85, to});  // LDA #byte; STA cell
    address += 4;
  }
  Place(in_ram, address, before);
  Place(in_ram, address + at, {0x4c, 0x90, 0x00});  // JMP $90, where a JAM ends it
  Place(in_ram, 0xff00, loop);
  const ProgramRun rom(in_rom);
  std::vector<std::uint8_t> copy = in_ram;
  Place(copy, address, {kJam});
  const unsigned copying = ProgramRun(copy).Cycles();
  const ProgramRun ram(in_ram);
  EXPECT_EQ(rom.Cycles(), ram.Cycles() - copying);
  EXPECT_EQ(rom.registers().a, ram.registers().a);
  EXPECT_EQ(rom.registers().x, ram.registers().x);
  EXPECT_EQ(rom.registers().y, ram.registers().y);
  EXPECT_EQ(rom.registers().result, ram.registers().result);
}

TEST(ProcessorTest, ComputesWaits) {
  ExpectSameInRam({0xa9, 0, 0xa2, 0x20}, {0xca, 0xd0, 0xfd, kJam});  // DEX; BNE
  ExpectSameInRam({0xa9, 0, 0xa0, 0x10}, {0x88, 0x10, 0xfd, kJam});  // DEY; BPL
  ExpectSameInRam({0xa9, 0, 0xa0, 0x00}, {0x88, 0xd0, 0xfd, kJam});  // 256 times
  for (const std::uint8_t port : {0x95, 0x96}) {                     // TIM8T, TIM64T
    // LDA #9; STA port; then LDA INTIM and BNE, or LDX INTIM and BPL, or BIT INTIM and BPL
    ExpectSameInRam({0xa9, 9, 0x8d, port, 0x02}, {0xad, 0x84, 0x02, 0xd0, 0xfb, kJam});
    ExpectSameInRam({0xa9, 9, 0x8d, port, 0x02}, {0xae, 0x84, 0x02, 0x10, 0xfb, kJam});
    ExpectSameInRam({0xa9, 9, 0x8d, port, 0x02}, {0x2c, 0x84, 0x02, 0x10, 0xfb, kJam});
    ExpectSameInRam({0xa9, 0x83, 0x8d, port, 0x02}, {0xac, 0x84, 0x02, 0x30, 0xfb, kJam});
  }
  // BIT and BNE depend on A as well: with A = 4 the loop ends at 3.
  ExpectSameInRam({0xa9, 9, 0x8d, 0x96, 0x02, 0xa9, 4}, {0x2c, 0x84, 0x02, 0xd0, 0xfb, kJam});
}

TEST(ProcessorTest, LeavesAFrameAfter25000Instructions) {
  const ProgramRun jumping({0x4c, 0x00, 0xf0});  // JMP $F000
  EXPECT_EQ(jumping.Cycles(), 3U * 25000);
  EXPECT_FALSE(jumping.chips.tia.FrameIsOver());
  // INX; JMP: of the 25,000 half are INX.
  EXPECT_EQ(ProgramRun({0xe8, 0x4c, 0x00, 0xf0}).registers().x, 12500 % 256);
}

TEST(ProcessorTest, LeavesTheEndOfTheCartridge) {
  // From 0xFFFF the program goes on in the TIA, at 0, which is full of BRK.
  std::vector<std::uint8_t> bytes = Program({0x4c, 0xff, 0xff});  // JMP $FFFF
  Place(bytes, 0xfffe, {0x80, 0xf8});                             // BRK's vector; 0xF8 is also SED
  const ProgramRun run(bytes);
  EXPECT_TRUE(run.registers().decimal);
  EXPECT_EQ(run.registers().pc, 0xf880);
  EXPECT_EQ(run.Ram(0xff), 0x00U);
  EXPECT_EQ(run.Ram(0xfe), 0x02U);
}

}  // namespace
}  // namespace envpool::atari2600
