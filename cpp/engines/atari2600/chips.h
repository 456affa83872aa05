// Chips: the chips of a console, and what is in the processor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "atari2600/cartridge/cartridge.h"
#include "atari2600/cpu/registers.h"
#include "atari2600/riot.h"
#include "atari2600/tia/tia.h"

namespace envpool::atari2600 {

struct Chips {
  explicit Chips(std::shared_ptr<const Rom> rom) : cartridge(std::move(rom)) {}

  // Return the RAM, the upper half of the zero page.
  std::span<std::uint8_t, kRamSize> Ram() {
    return std::span(zero_page).subspan<kRamSize, kRamSize>();
  }
  std::span<const std::uint8_t, kRamSize> Ram() const {
    return std::span(zero_page).subspan<kRamSize, kRamSize>();
  }

  // The lower half is the TIA's. It stays 0: code that a wild jump finds there. The RAM, being also
  // the stack, appears at 0x100, too. Operands of an instruction at the end may be behind it.
  std::array<std::uint8_t, 256 + Rom::kPadding> zero_page = {};
  Registers registers;
  Riot riot;
  Tia tia;
  Cartridge cartridge;
};

}  // namespace envpool::atari2600
