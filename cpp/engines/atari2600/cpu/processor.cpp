#include "atari2600/cpu/processor.h"

#include <iterator>

#include "atari2600/cpu/core.h"
#include "atari2600/cpu/opcodes.h"
#include "atari2600/cpu/pairs.h"

namespace envpool::atari2600 {
namespace {

// Labels as values make the interpreter fast: each instruction ends with a jump of its own, which
// the computer predicts by what usually comes next. They are an extension of the language.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

// clang-format off
#define NEXT if (core.PrepareExact()) goto leave; goto *core.Fetch(kHandlers)
// clang-format on

// Runs instructions. Returns true if the fast core is at an instruction that it cannot run. Without
// chips, only tells `handlers` where the handlers of extended opcodes are: nobody else can know.
template <bool kIsExact>
bool Interpret(Chips* chips, const void* const** handlers = nullptr) {
  static const void* const kHandlers[] = {
#define OPCODE(code, operation, mode, cycles) &&plain_##code,
#include "atari2600/cpu/opcodes.def"
#undef OPCODE
#define OPCODE(code, operation, mode, cycles) &&known_##code,
#include "atari2600/cpu/opcodes.def"
#undef OPCODE
#define TIA_REGISTER(name) &&store_a_##name,
#include "atari2600/tia/tia_registers.def"
#undef TIA_REGISTER
#define TIA_REGISTER(name) &&store_x_##name,
#include "atari2600/tia/tia_registers.def"
#undef TIA_REGISTER
#define TIA_REGISTER(name) &&store_y_##name,
#include "atari2600/tia/tia_registers.def"
#undef TIA_REGISTER
      &&clocked,
      &&edge,
#define PAIR(first, second) &&pair_##first##_##second,
#include "atari2600/cpu/pairs.def"
#undef PAIR
  };
  static_assert(std::size(kHandlers) == kFirstPair + std::size(kPairs));

  if (chips == nullptr) {
    *handlers = kHandlers;
    return false;
  }
  Core<kIsExact> core(*chips);
  bool is_at_edge = false;
  NEXT;

  // clang-format off
#define RUN(opcode) if (core.template Run<opcode>()) goto leave; NEXT
#define OPCODE(code, ...) plain_##code: RUN(kPlain + code);
#include "atari2600/cpu/opcodes.def"
#undef OPCODE
#define OPCODE(code, ...) known_##code: RUN(kKnown + code);
#include "atari2600/cpu/opcodes.def"
#undef OPCODE
#define TIA_REGISTER(name) store_a_##name: RUN(kStoreA + name);
#include "atari2600/tia/tia_registers.def"
#undef TIA_REGISTER
#define TIA_REGISTER(name) store_x_##name: RUN(kStoreX + name);
#include "atari2600/tia/tia_registers.def"
#undef TIA_REGISTER
#define TIA_REGISTER(name) store_y_##name: RUN(kStoreY + name);
#include "atari2600/tia/tia_registers.def"
#undef TIA_REGISTER
#undef RUN
#define PAIR(first, second) pair_##first##_##second: if (core.template RunPair<first, second>()) goto leave; NEXT;
#include "atari2600/cpu/pairs.def"
#undef PAIR
  // clang-format on

clocked:
  core.ClockFetch();
  goto* kHandlers[core.FetchedByte()];

edge:
  is_at_edge = true;

leave:
  core.Save();
  return is_at_edge;
}

#undef NEXT
#pragma GCC diagnostic pop

}  // namespace

const void* const* FastHandlers() {
  const void* const* handlers = nullptr;
  Interpret<false>(nullptr, &handlers);
  return handlers;
}

void ResetProcessor(Chips& chips) {
  Registers& registers = chips.registers;
  registers = {};
  // The reset's vector is read as any byte is: that may switch banks, and clocks the DPC.
  const auto read = [&](unsigned address) {
    return chips.cartridge.IsHot(address) ? chips.cartridge.Read(address, 0)
                                          : chips.cartridge.View()[address & 0xfff];
  };
  const unsigned low = read(0xfffc);
  registers.pc = static_cast<std::uint16_t>(low | unsigned{read(0xfffd)} << 8);
}

void RunProcessor(Chips& chips) {
  const Registers& registers = chips.registers;
  bool is_at_edge = false;
  while (!chips.tia.FrameIsOver() && InstructionsOf(registers.clock) < kMostInstructions) {
    const bool is_in_cartridge = (registers.pc & 0x1000) != 0;
    if (!is_at_edge && is_in_cartridge && InstructionsOf(registers.clock) <= kHandOver) {
      is_at_edge = Interpret<false>(&chips);
    } else {
      is_at_edge = Interpret<true>(&chips);
    }
  }
}

void Registers::Serialize(Archive& archive) {
  constexpr Clock kMostCycles = 8'000'000;
  archive.Any(a, x, y, stack, pc);
  archive(overflow, decimal, masks_interrupts);
  archive.Range(carry, 0U, 1U);
  archive.Range(result, 0U, 0xffffU);
  archive.Range(clock, Clock{0}, kMostCycles);  // between frames, instructions are not counted
}

}  // namespace envpool::atari2600
