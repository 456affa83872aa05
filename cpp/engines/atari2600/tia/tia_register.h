// TiaRegister: the registers of the TIA that a program writes, by their places.
#pragma once

namespace envpool::atari2600 {

// The last one, kNoTiaRegister, stands for the places that are no registers.
enum TiaRegister : unsigned {
#define TIA_REGISTER(name) name,
#include "atari2600/tia/tia_registers.def"
#undef TIA_REGISTER
};

}  // namespace envpool::atari2600
