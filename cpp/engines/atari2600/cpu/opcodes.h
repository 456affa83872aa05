// Opcodes: what the 6507's instructions are, as data, and the extended opcodes that the interpreter
// runs. Undocumented instructions included: games use them.
#pragma once

#include <array>
#include <cstdint>

#include "atari2600/tia/tia_register.h"

namespace envpool::atari2600 {

enum class Operation : std::uint8_t {
  // They read a value,
  kADC,
  kAND,
  kBIT,
  kCMP,
  kCPX,
  kCPY,
  kEOR,
  kLDA,
  kLDX,
  kLDY,
  kNOP,
  kORA,
  kSBC,
  kALR,
  kANC,
  kANE,
  kARR,
  kLAS,
  kLAX,
  kLXA,
  kSBX,
  // store one,
  kSTA,
  kSTX,
  kSTY,
  kSAX,
  kSHA,
  kSHX,
  kSHY,
  kTAS,
  // or modify one,
  kASL,
  kDEC,
  kINC,
  kLSR,
  kROL,
  kROR,
  kDCP,
  kISC,
  kRLA,
  kRRA,
  kSLO,
  kSRE,
  // branch,
  kBCC,
  kBCS,
  kBEQ,
  kBMI,
  kBNE,
  kBPL,
  kBVC,
  kBVS,
  // or are of their own kind.
  kBRK,
  kJMP,
  kJSR,
  kRTI,
  kRTS,
  kPHA,
  kPHP,
  kPLA,
  kPLP,
  kJAM,
  kCLC,
  kCLD,
  kCLI,
  kCLV,
  kSEC,
  kSED,
  kSEI,
  kDEX,
  kDEY,
  kINX,
  kINY,
  kTAX,
  kTAY,
  kTSX,
  kTXA,
  kTXS,
  kTYA,
};

enum class Kind : std::uint8_t { kReads, kStores, kModifies, kBranches, kOther };

constexpr Kind KindOf(Operation operation) {
  if (operation < Operation::kSTA) return Kind::kReads;
  if (operation < Operation::kASL) return Kind::kStores;
  if (operation < Operation::kBCC) return Kind::kModifies;
  return operation < Operation::kBRK ? Kind::kBranches : Kind::kOther;
}

enum class Mode : std::uint8_t {
  kImplied,
  kAccumulator,
  kImmediate,
  kZeroPage,
  kZeroPageX,
  kZeroPageY,
  kAbsolute,
  kAbsoluteX,
  kAbsoluteY,
  kIndirect,
  kIndirectX,
  kIndirectY,
  kRelative,
};

struct Opcode {
  Operation operation;
  Mode mode;
  std::uint8_t cycles;
};

#define OPCODE(code, operation, mode, cycles) {Operation::k##operation, Mode::k##mode, cycles},
inline constexpr std::array<Opcode, 256> kOpcodes = {{
#include "atari2600/cpu/opcodes.def"
}};
#undef OPCODE

// Returns how many bytes an instruction has. Returns 2 for BRK, whose second byte is not used.
constexpr unsigned LengthOf(Operation operation, Mode mode) {
  switch (mode) {
    case Mode::kImplied: return operation == Operation::kBRK ? 2 : 1;
    case Mode::kAccumulator: return 1;
    case Mode::kAbsolute:
    case Mode::kAbsoluteX:
    case Mode::kAbsoluteY:
    case Mode::kIndirect: return 3;
    default: return 2;
  }
}
constexpr unsigned LengthOf(std::uint8_t code) {
  return LengthOf(kOpcodes[code].operation, kOpcodes[code].mode);
}

// True if the instruction is faster where more is known of it: that its operand is plain memory
// (RAM for zero page and pointers, ROM without switches for the others), or that the branch belongs
// to a loop that only counts down.
constexpr bool HasKnownForm(Operation operation, Mode mode) {
  const Kind kind = KindOf(operation);
  if (mode == Mode::kZeroPage) return true;
  if (mode == Mode::kRelative) return operation == Operation::kBNE || operation == Operation::kBPL;
  return kind == Kind::kReads && (mode == Mode::kAbsolute || mode == Mode::kAbsoluteX ||
                                  mode == Mode::kAbsoluteY || mode == Mode::kIndirectY);
}

// An extended opcode says more than the byte of ROM that it stands for, as it was made with a look
// at the operand. The interpreter has a handler for each.
using ExtendedOpcode = std::uint16_t;

inline constexpr ExtendedOpcode kPlain = 0;     // + code: nothing is known
inline constexpr ExtendedOpcode kKnown = 256;   // + code: see HasKnownForm
inline constexpr ExtendedOpcode kStoreA = 512;  // + register: STA to the TIA's zero page
inline constexpr ExtendedOpcode kStoreX = kStoreA + kNoTiaRegister + 1;
inline constexpr ExtendedOpcode kStoreY = kStoreX + kNoTiaRegister + 1;
inline constexpr ExtendedOpcode kClocked =
    kStoreY + kNoTiaRegister + 1;                      // its fetch clocks the DPC
inline constexpr ExtendedOpcode kEdge = kClocked + 1;  // nothing is known: only the exact loop can
inline constexpr ExtendedOpcode kFirstPair = kEdge + 1;  // + number: see pairs.h

constexpr unsigned LengthOf(ExtendedOpcode opcode) {
  return opcode < kStoreA ? LengthOf(static_cast<std::uint8_t>(opcode % 256)) : 2;
}

// What the fast loop runs: for each byte of ROM, the instruction that begins there, decoded.
struct Instruction {
  const void* handler = nullptr;  // in the interpreter
  std::uint16_t operand = 0;      // a byte or a word; of branches, how far they go from here
  std::uint16_t place = 0;        // in the bytes that are switched in together
  std::uint8_t code = 0;
  std::uint8_t taken = 0;  // the cycles that a branch takes more if it is taken
};

}  // namespace envpool::atari2600
