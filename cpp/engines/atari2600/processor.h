// Processor: the 6507. It runs until the TIA says that the frame is over.
#pragma once

#include <cstdint>

#include "atari2600/chips.h"
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
  std::uint8_t a = 0;
  std::uint8_t x = 0;
  std::uint8_t y = 0;
  std::uint8_t stack = 0xff;
  bool overflow = false;
  bool decimal = false;
  bool masks_interrupts = false;
  unsigned carry = 0;  // 0 or 1
  // The flags N and Z: N is set if bit 7 or 15 is, Z if bits 0 to 7 are not.
  unsigned result = 1;
  std::uint16_t pc = 0;
  Clock clock = 0;

  void Serialize(Archive& archive);
};

// Begins where the reset's vector points to.
void ResetProcessor(Registers& registers, Chips& chips);

// Runs until the frame is over, or for 25,000 instructions.
// ALE: a frame that takes more is left unfinished, and the next one goes on with it.
void RunProcessor(Registers& registers, Chips& chips);

}  // namespace envpool::atari2600
