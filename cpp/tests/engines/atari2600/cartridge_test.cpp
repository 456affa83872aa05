// Cartridges: their sizes, and states that are none. What games see of them is compared with ALE by
// tests of Python.
#include "atari2600/cartridge/cartridge.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/archive.h"

namespace envpool::atari2600 {
namespace {

std::uint8_t DrawSeven() { return 7; }

// Returns a cartridge whose every KiB holds its number.
Cartridge Numbered(CartridgeKind kind, std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i / 1024);
  Cartridge cartridge(Rom::Load(bytes, kind));
  cartridge.Reset(DrawSeven);
  return cartridge;
}

TEST(CartridgeTest, HasItsSize) {
  const std::vector<std::uint8_t> bytes(4096);
  EXPECT_THROW(Rom::Load(bytes, CartridgeKind::k2K), std::invalid_argument);
  EXPECT_THROW(Rom::Load(bytes, CartridgeKind::kF8), std::invalid_argument);
  EXPECT_THROW(Rom::Load(bytes, CartridgeKind::kDpc), std::invalid_argument);
  EXPECT_NO_THROW(Rom::Load(bytes, CartridgeKind::k4K));
}

TEST(CartridgeTest, RefusesImpossibleStates) {
  std::string bytes;
  Archive writer = Archive::Writer(bytes);
  Cartridge f6 = Numbered(CartridgeKind::kF6, 16384);
  f6.Read(0x1ff9, 0);
  f6.Serialize(writer);
  Cartridge f8 = Numbered(CartridgeKind::kF8, 8192);
  Archive reader = Archive::Reader(bytes);
  EXPECT_THROW(f8.Serialize(reader), std::invalid_argument);
}

}  // namespace
}  // namespace envpool::atari2600
