#include "atari2600/cartridge/decoder.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "atari2600/cpu/pairs.h"
#include "atari2600/cpu/processor.h"

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

// True if the fast loop must not run the instruction at a place: it jams, its bytes may change, or
// the processor may go on outside of the bytes after it.
bool IsEdge(std::span<const std::uint8_t> bytes, std::size_t at, const DecoderOptions& options) {
  const Opcode& opcode = kOpcodes[bytes[at]];
  if (opcode.operation == Operation::kJAM) return true;
  const std::size_t next = at + LengthOf(bytes[at]);
  if (next >= bytes.size()) return true;
  if (next > options.ram_begin && at < options.ram_end) return true;
  if (opcode.mode != Mode::kRelative) return false;
  const auto target = static_cast<std::ptrdiff_t>(next) + static_cast<std::int8_t>(bytes[at + 1]);
  return target < 0 || target >= static_cast<std::ptrdiff_t>(bytes.size());
}

// True if a branch is at a place that goes back to a DEX or DEY just before it.
bool IsCountdown(std::span<const std::uint8_t> bytes, std::size_t at) {
  constexpr std::uint8_t kToItself = 0xfd;
  if (at == 0 || kOpcodes[bytes[at]].mode != Mode::kRelative || bytes[at + 1] != kToItself)
    return false;
  const Operation counter = kOpcodes[bytes[at - 1]].operation;
  return counter == Operation::kDEX || counter == Operation::kDEY;
}

// Returns what is known of an instruction.
ExtendedOpcode Extend(const Instruction& made, bool is_countdown, std::uint64_t hot_blocks) {
  const auto [operation, mode, cycles] = kOpcodes[made.code];
  if (!HasKnownForm(operation, mode)) return kPlain + made.code;
  const unsigned low = made.operand & 0xffU;
  const auto tia_register = std::min<ExtendedOpcode>(low & 63, kNoTiaRegister);
  bool is_known = false;
  switch (mode) {
    case Mode::kZeroPage:
      is_known = low >= 0x80;
      if (!is_known && operation == Operation::kSTA) return kStoreA + tia_register;
      if (!is_known && operation == Operation::kSTX) return kStoreX + tia_register;
      if (!is_known && operation == Operation::kSTY) return kStoreY + tia_register;
      break;
    case Mode::kRelative: is_known = is_countdown; break;
    case Mode::kIndirectY: is_known = low >= 0x80 && low < 0xff; break;
    case Mode::kAbsolute: is_known = IsPlainRom(made.operand, 0, hot_blocks); break;
    default: is_known = IsPlainRom(made.operand, 255, hot_blocks); break;
  }
  return (is_known ? kKnown : kPlain) + made.code;
}

// Makes an instruction that is no edge.
Instruction MakeInstruction(std::span<const std::uint8_t> bytes, std::size_t at) {
  const std::uint8_t code = bytes[at];
  const unsigned length = LengthOf(code);
  Instruction made = {.code = code};
  if (length > 1) made.operand = bytes[at + 1];
  if (length > 2) made.operand = static_cast<std::uint16_t>(made.operand | bytes[at + 2] << 8);
  if (kOpcodes[code].mode == Mode::kRelative) {
    const std::size_t next = at + length;
    const int distance = static_cast<std::int8_t>(bytes[at + 1]);
    const std::size_t target = next + static_cast<std::size_t>(distance);
    made.operand = static_cast<std::uint16_t>(static_cast<int>(length) + distance);
    made.taken = (target ^ next) > 0xff ? 2 : 1;
  }
  return made;
}

}  // namespace

void Decode(std::span<const std::uint8_t> bytes, const DecoderOptions& options,
            std::span<Instruction> decoded) {
  std::vector<ExtendedOpcode> opcodes(bytes.size(), kEdge);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    Instruction& made = decoded[at];
    if (IsEdge(bytes, at, options)) {
      made = {.code = bytes[at]};
    } else {
      made = MakeInstruction(bytes, at);
      opcodes[at] = options.clocks_dpc && at >= kClockedFrom
                        ? kClocked
                        : Extend(made, IsCountdown(bytes, at), options.hot_blocks);
    }
    made.place = static_cast<std::uint16_t>(at);
  }
  const void* const* handlers = FastHandlers();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const std::size_t next = at + LengthOf(bytes[at]);
    const bool is_last = next >= bytes.size();
    decoded[at].handler = handlers[is_last ? opcodes[at] : PairOf(opcodes[at], opcodes[next])];
  }
}

}  // namespace envpool::atari2600
