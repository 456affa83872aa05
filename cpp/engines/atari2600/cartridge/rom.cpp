#include "atari2600/cartridge/rom.h"

#include <algorithm>
#include <stdexcept>

#include "atari2600/cartridge/decoder.h"

namespace envpool::atari2600 {
namespace {

// Returns how many bytes of program a kind of cartridge has.
std::size_t SizeOf(CartridgeKind kind) {
  switch (kind) {
    case CartridgeKind::k2K: return 2048;
    case CartridgeKind::k4K: return 4096;
    case CartridgeKind::kF6:
    case CartridgeKind::kF6SC: return 16384;
    case CartridgeKind::kF8:
    case CartridgeKind::kF8SC:
    case CartridgeKind::kE0:
    case CartridgeKind::kFE:
    case CartridgeKind::kDpc: return 8192;
  }
  throw std::invalid_argument("no such kind of cartridge");
}

}  // namespace

std::shared_ptr<const Rom> Rom::Load(std::span<const std::uint8_t> bytes, CartridgeKind kind) {
  const std::size_t size = SizeOf(kind);
  const bool is_dpc = kind == CartridgeKind::kDpc;  // whose images have more behind the graphics
  if (is_dpc ? bytes.size() < size + kDisplayDataSize : bytes.size() != size) {
    throw std::invalid_argument("the ROM has not the size of its kind of cartridge");
  }
  return std::shared_ptr<const Rom>(new Rom(bytes, kind));
}

Rom::Rom(std::span<const std::uint8_t> bytes, CartridgeKind kind) : kind_(kind) {
  const std::size_t size = SizeOf(kind);
  bytes_.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
  if (kind == CartridgeKind::k2K) bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  if (kind == CartridgeKind::kDpc) {
    const auto data = bytes.subspan(size, kDisplayDataSize);
    display_data_.assign(data.begin(), data.end());
  }
  instructions_.resize(bytes_.size());
  DecodeAll();
  bytes_.resize(bytes_.size() + kPadding);
}

std::uint64_t Rom::HotBlocks() const {
  constexpr std::uint64_t kLastBlock = std::uint64_t{1} << 63;
  switch (kind_) {
    case CartridgeKind::k2K:
    case CartridgeKind::k4K: return 0;
    case CartridgeKind::kFE: return ~std::uint64_t{0};
    case CartridgeKind::kDpc: return kLastBlock | 3;
    default: return kLastBlock;
  }
}

void Rom::DecodeAll() {
  const std::size_t size = kind_ == CartridgeKind::kE0 ? kSliceSize : kViewSize;
  DecoderOptions options;
  options.hot_blocks = HotBlocks();
  options.clocks_dpc = kind_ == CartridgeKind::kDpc;
  if (HasRam()) {
    options.ram_begin = 128;
    options.ram_end = 256;
  }
  const std::span bytes(bytes_);
  const std::span instructions(instructions_);
  for (std::size_t at = 0; at < bytes_.size(); at += size) {
    Decode(bytes.subspan(at, size), options, instructions.subspan(at, size));
  }
}

}  // namespace envpool::atari2600
