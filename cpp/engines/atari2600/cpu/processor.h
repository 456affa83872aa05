// Processor: the 6507. It runs until the TIA says that the frame is over.
#pragma once

#include "atari2600/chips.h"

namespace envpool::atari2600 {

// Returns where the fast loop handles each of the extended opcodes, for the decoder.
const void* const* FastHandlers();

// Begins where the reset's vector points to.
void ResetProcessor(Chips& chips);

// Runs until the frame is over, or for 25,000 instructions.
// ALE: a frame that takes more is left unfinished, and the next one goes on with it.
void RunProcessor(Chips& chips);

}  // namespace envpool::atari2600
