// What tests of the console's parts share: cartridges made of a few instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#include "atari2600/cartridge/rom.h"
#include "atari2600/chips.h"
#include "atari2600/cpu/processor.h"
#include "atari2600/tia/pictures.h"

namespace envpool::atari2600 {

inline constexpr std::uint8_t kJam = 0x02;

// Puts bytes at an address from 0xF000 on into 4 KiB.
inline void Place(std::vector<std::uint8_t>& bytes, unsigned address,
                  std::initializer_list<std::uint8_t> program) {
  for (std::size_t at = address & 0xfff; const std::uint8_t byte : program) bytes[at++] = byte;
}

// Returns 4 KiB that begin with a program, stop anywhere else, and are started at 0xF000.
inline std::vector<std::uint8_t> Program(std::initializer_list<std::uint8_t> program) {
  std::vector<std::uint8_t> bytes(kViewSize, kJam);
  Place(bytes, 0xf000, program);
  Place(bytes, 0xfffc, {0x00, 0xf0});
  return bytes;
}

// Runs a program from power-on until it stops, all in one frame.
class ProgramRun {
 public:
  // `prepare` may change the chips before the first instruction.
  explicit ProgramRun(
      const std::vector<std::uint8_t>& bytes,
      const std::function<void(Chips&)>& prepare = [](Chips&) {})
      : chips(Rom::Load(bytes, CartridgeKind::k4K)) {
    chips.tia.Reset({});
    chips.tia.StartFrame(0, true, *pictures_);
    ResetProcessor(chips);
    prepare(chips);
    RunProcessor(chips);
  }
  explicit ProgramRun(std::initializer_list<std::uint8_t> program) : ProgramRun(Program(program)) {}

  const Registers& registers() const { return chips.registers; }
  unsigned Cycles() const { return CyclesOf(chips.registers.clock); }
  unsigned Ram(unsigned address) const { return chips.zero_page[address]; }

  Chips chips;

 private:
  std::unique_ptr<Pictures> pictures_ = std::make_unique<Pictures>();
};

}  // namespace envpool::atari2600
