// Decoder: makes the instructions that the fast loop runs from a cartridge's ROM.
#pragma once

#include <cstdint>
#include <span>

#include "atari2600/cpu/opcodes.h"

namespace envpool::atari2600 {

struct DecoderOptions {
  std::uint64_t hot_blocks = 0;  // of the 4 KiB, the blocks of 64 bytes where reading does more
  unsigned ram_begin = 0;        // where in the 4 KiB the bytes may change, if anywhere
  unsigned ram_end = 0;
  bool clocks_dpc = false;  // True if fetches from 0xFC0 on clock the DPC
};

// Writes one instruction for each of the bytes, at most 4 KiB, that are switched in together.
void Decode(std::span<const std::uint8_t> bytes, const DecoderOptions& options,
            std::span<Instruction> decoded);

}  // namespace envpool::atari2600
