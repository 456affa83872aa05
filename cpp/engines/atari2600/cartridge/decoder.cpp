#include "atari2600/cartridge/decoder.h"

#include <algorithm>
#include <cstddef>

namespace envpool::atari2600 {
namespace {

constexpr unsigned kClockedFrom = 0xfbe;  // an instruction's third byte is at 0xFC0

// True if none of 256 bytes of ROM from an address on is hot, or beyond the end of the 4 KiB.
bool IsPlainRom(unsigned address, unsigned reach, std::uint64_t hot_blocks) {
  if ((address & 0x1000) == 0) return false;
  const unsigned first = address & 0xfff;
  if (first + reach > 0xfff) return false;
  for (unsigned block = first / 64; block <= (first + reach) / 64; ++block) {
    if ((hot_blocks >> block & 1) != 0) return false;
  }
  return true;
}

// True if after the instruction at a place the processor may go on outside of the view, where the
// interpreter's fast loop must not.
bool IsEdge(std::span<const std::uint8_t> bytes, std::size_t at, bool is_last) {
  const Opcode& opcode = kOpcodes[bytes[at]];
  if (opcode.operation == Operation::kJAM) return true;
  const std::size_t next = at + LengthOf(bytes[at]);
  if (is_last && next >= bytes.size()) return true;
  if (opcode.mode != Mode::kRelative || at + 1 >= bytes.size()) return false;
  const auto target = static_cast<std::ptrdiff_t>(next) + static_cast<std::int8_t>(bytes[at + 1]);
  return target < 0 || (is_last && target >= static_cast<std::ptrdiff_t>(bytes.size()));
}

// Returns what is known of an instruction that is within the bytes.
unsigned Extend(std::uint8_t code, unsigned operand, std::uint64_t hot_blocks) {
  const auto [operation, mode, cycles] = kOpcodes[code];
  if (!HasKnownForm(operation, mode)) return kPlain + code;
  const unsigned low = operand & 0xff;
  const unsigned tia_register = std::min<unsigned>(low & 63, kNoTiaRegister);
  bool is_known = false;
  switch (mode) {
    case Mode::kZeroPage:
      is_known = low >= 0x80;
      if (!is_known && operation == Operation::kSTA) return kStoreA + tia_register;
      if (!is_known && operation == Operation::kSTX) return kStoreX + tia_register;
      if (!is_known && operation == Operation::kSTY) return kStoreY + tia_register;
      break;
    case Mode::kIndirectY: is_known = low >= 0x80 && low < 0xff; break;
    case Mode::kAbsolute: is_known = IsPlainRom(operand, 0, hot_blocks); break;
    default: is_known = IsPlainRom(operand, 255, hot_blocks); break;
  }
  return (is_known ? kKnown : kPlain) + code;
}

}  // namespace

void Decode(std::span<const std::uint8_t> bytes, const DecoderOptions& options,
            std::span<ExtendedOpcode> decoded) {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const std::size_t end = at + LengthOf(bytes[at]);
    unsigned result = kPlain + bytes[at];
    if (at >= options.ram_begin && at < options.ram_end) {
      result = kFromRam;
    } else if (IsEdge(bytes, at, options.is_last)) {
      result = kEdge;
    } else if (options.clocks_dpc && at >= kClockedFrom) {
      result = kClocked;
    } else if (end <= bytes.size() && (end <= options.ram_begin || at >= options.ram_end)) {
      const unsigned low = at + 1 < bytes.size() ? bytes[at + 1] : 0;
      const unsigned high = at + 2 < bytes.size() ? bytes[at + 2] : 0;
      result = Extend(bytes[at], low | high << 8, options.hot_blocks);
    }
    decoded[at] = static_cast<ExtendedOpcode>(result);
  }
}

}  // namespace envpool::atari2600
