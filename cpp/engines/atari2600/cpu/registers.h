// Registers: the processor's, and the console's clock.
#pragma once

#include <cstdint>

#include "envpool/archive.h"

namespace envpool::atari2600 {

// Counts cycles and instructions at once: cycles are the low 24 bits.
using Clock = std::uint64_t;

inline constexpr int kCycleBits = 24;
inline constexpr Clock kOneInstruction = Clock{1} << kCycleBits;

constexpr unsigned CyclesOf(Clock clock) {
  return static_cast<unsigned>(clock & (kOneInstruction - 1));
}
constexpr unsigned InstructionsOf(Clock clock) {
  return static_cast<unsigned>(clock >> kCycleBits);
}

struct Registers {
  void Serialize(Archive& archive);

  std::uint8_t a = 0;
  std::uint8_t x = 0;
  std::uint8_t y = 0;
  std::uint8_t stack = 0xff;
  bool overflow = false;
  bool decimal = false;
  bool masks_interrupts = false;
  unsigned carry = 0;  // 0 or 1
  // Of what the flags N and Z are: N is set if bit 7 or 15 is, Z if the bits 0 to 7 are not.
  unsigned result = 1;
  std::uint16_t pc = 0;
  unsigned code_base = 0;  // while the interpreter runs: the address of the code that it is in
  Clock clock = 0;
};

}  // namespace envpool::atari2600
