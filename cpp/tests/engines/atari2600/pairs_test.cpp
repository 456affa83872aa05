// Pairs: a pair's handler does what the exact loop does, which runs one instruction after the
// other.
#include "atari2600/cpu/pairs.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "atari2600/cpu/core.h"
#include "console_fixture.h"
#include "envpool/archive.h"

namespace envpool::atari2600 {
namespace {

constexpr std::uint8_t kPlace = 0x10;     // of the pair, from 0xF000 on
constexpr std::uint8_t kStopPage = 0xf8;  // from here on, a program stops
constexpr std::uint8_t kDex = 0xca;

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  unsigned Below(unsigned limit) { return static_cast<unsigned>(random_()) % limit; }
  std::uint8_t Byte() { return static_cast<std::uint8_t>(random_()); }

 private:
  std::mt19937 random_;
};

// Returns an operand that makes the opcode a known one, or not: see HasKnownForm.
unsigned OperandOf(const Opcode& opcode, bool is_known, Dice& dice) {
  switch (opcode.mode) {
    case Mode::kZeroPage: return is_known ? 0x80 + dice.Below(128) : dice.Below(128);
    case Mode::kIndirectY: return is_known ? 0x80 + dice.Below(127) : dice.Below(2) * 0xff;
    case Mode::kRelative: return is_known ? 0xfd : dice.Below(4);
    case Mode::kAbsolute:
    case Mode::kAbsoluteX:
    case Mode::kAbsoluteY:
      if (KindOf(opcode.operation) == Kind::kOther) return kStopPage * 0x100U + dice.Below(256);
      return is_known ? 0xf100 + dice.Below(0x500) : dice.Below(0x300);
    default: return dice.Below(256);
  }
}

void Write(ExtendedOpcode opcode, std::vector<std::uint8_t>& bytes, unsigned& at, Dice& dice) {
  auto code = static_cast<std::uint8_t>(opcode % 256);
  unsigned operand = 0;
  if (opcode < kStoreA) {
    operand = OperandOf(kOpcodes[code], opcode >= kKnown, dice);
  } else {
    code = opcode < kStoreX ? 0x85 : opcode < kStoreY ? 0x86 : 0x84;  // STA, STX, STY
    operand = (opcode - kStoreA) % (kNoTiaRegister + 1U);
  }
  bytes[at] = code;
  if (LengthOf(code) > 1) bytes[at + 1] = static_cast<std::uint8_t>(operand);
  if (LengthOf(code) > 2) bytes[at + 2] = static_cast<std::uint8_t>(operand >> 8);
  at += LengthOf(code);
}

std::vector<std::uint8_t> MakeProgram(const Pair& pair, Dice& dice) {
  std::vector<std::uint8_t> bytes = Program({});
  for (std::uint8_t& byte : std::span(bytes).subspan(0x100, 0x600)) byte = dice.Byte();  // data
  Place(bytes, 0xfffc, {kPlace, 0xf0, 0x00, kStopPage});
  bytes[kPlace - 1] = kDex;  // which a branch that only counts goes back to
  unsigned at = kPlace;
  Write(pair.first, bytes, at, dice);
  Write(pair.second, bytes, at, dice);
  return bytes;
}

void Shuffle(Chips& chips, Dice dice) {
  Registers& registers = chips.registers;
  registers.a = dice.Byte();
  registers.x = dice.Byte();
  registers.y = dice.Byte();
  registers.stack = static_cast<std::uint8_t>(0x80 + dice.Below(128));
  registers.carry = dice.Below(2);
  registers.result = dice.Below(4) == 0 ? 0 : dice.Below(0x10000);
  registers.overflow = dice.Below(2) == 1;
  registers.decimal = dice.Below(8) == 0;
  const std::uint8_t least = dice.Below(2) == 0 ? 0 : 0xf0;  // where pointers go to ROM
  for (std::uint8_t& byte : chips.Ram()) byte = dice.Byte() | least;
}

// Returns all that a program leaves, but the number of its instructions.
std::string StateOf(Chips& chips) {
  std::string bytes;
  Archive writer = Archive::Writer(bytes);
  chips.registers.clock = CyclesOf(chips.registers.clock);
  chips.registers.Serialize(writer);
  chips.riot.Serialize(writer);
  chips.tia.Serialize(writer);
  return bytes.append(chips.zero_page.begin(), chips.zero_page.end());
}

TEST(PairsTest, DoWhatTheirPartsDo) {
  constexpr unsigned kEndless = 8000;  // cycles; few return to garbage, and go on there
  unsigned compared = 0;
  Dice dice(1);
  for (std::size_t i = 0; i < std::size(kPairs); ++i) {
    for (int trial = 0; trial < 12; ++trial) {
      const std::vector<std::uint8_t> program = MakeProgram(kPairs[i], dice);
      const Dice start(dice.Below(1U << 30));
      ProgramRun fast(program, [&](Chips& chips) { Shuffle(chips, start); });
      ProgramRun exact(program, [&](Chips& chips) {
        Shuffle(chips, start);
        chips.registers.clock += (kHandOver + 1) * kOneInstruction;  // the fast loop ends there
      });
      ASSERT_EQ(fast.chips.cartridge.InstructionAt(kPlace)->handler,
                FastHandlers()[kFirstPair + i]);
      if (fast.Cycles() > kEndless) continue;
      ASSERT_TRUE(StateOf(fast.chips) == StateOf(exact.chips)) << "pair " << i;
      ++compared;
    }
  }
  EXPECT_GT(compared, 11 * std::size(kPairs));
}

}  // namespace
}  // namespace envpool::atari2600
