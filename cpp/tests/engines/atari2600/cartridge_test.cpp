// Cartridges: which accesses switch what, the RAM of some, and the DPC.
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

unsigned First(const Cartridge& cartridge) { return cartridge.View()[0]; }

TEST(CartridgeTest, HasItsSize) {
  const std::vector<std::uint8_t> bytes(4096);
  EXPECT_THROW(Rom::Load(bytes, CartridgeKind::k2K), std::invalid_argument);
  EXPECT_THROW(Rom::Load(bytes, CartridgeKind::kF8), std::invalid_argument);
  EXPECT_THROW(Rom::Load(bytes, CartridgeKind::kDpc), std::invalid_argument);
  EXPECT_NO_THROW(Rom::Load(bytes, CartridgeKind::k4K));
}

TEST(CartridgeTest, Shows2KiBTwice) {
  const Cartridge cartridge = Numbered(CartridgeKind::k2K, 2048);
  EXPECT_EQ(cartridge.View()[0x7ff], 1);
  EXPECT_EQ(cartridge.View()[0x800], 0);
  EXPECT_EQ(cartridge.View()[0xfff], 1);
}

TEST(CartridgeTest, SwitchesBanks) {
  Cartridge f8 = Numbered(CartridgeKind::kF8, 8192);
  EXPECT_EQ(First(f8), 4U);
  EXPECT_TRUE(f8.IsHot(0x1ff8));
  EXPECT_FALSE(f8.IsHot(0x1f00));
  EXPECT_EQ(f8.Read(0x1ff8, 0), 3);  // what is there in the bank that is switched in
  EXPECT_EQ(First(f8), 0U);
  f8.Write(0x1ff9, 0, 0);
  EXPECT_EQ(First(f8), 4U);
  Cartridge f6 = Numbered(CartridgeKind::kF6, 16384);
  EXPECT_EQ(First(f6), 0U);
  for (unsigned bank = 0; bank < 4; ++bank) {
    f6.Read(0x1ff6 + bank, 0);
    EXPECT_EQ(First(f6), 4 * bank);
  }
}

TEST(CartridgeTest, SwitchesSlices) {
  Cartridge e0 = Numbered(CartridgeKind::kE0, 8192);
  EXPECT_EQ(First(e0), 4U);
  e0.Read(0x1fe2, 0);
  e0.Read(0x1fe9, 0);
  e0.Write(0x1ff7, 0, 0);
  EXPECT_EQ(e0.View()[0x000], 2);
  EXPECT_EQ(e0.View()[0x400], 1);
  EXPECT_EQ(e0.View()[0x800], 7);
  EXPECT_EQ(e0.View()[0xc00], 7);
  const Cartridge::State state = e0.Save();
  e0.Read(0x1fe5, 0);
  EXPECT_EQ(First(e0), 5U);
  e0.Restore(state);
  EXPECT_EQ(First(e0), 2U);
}

TEST(CartridgeTest, SelectsByTheAddress) {
  Cartridge fe = Numbered(CartridgeKind::kFE, 8192);
  EXPECT_EQ(fe.Read(0xf000, 0), 0);
  EXPECT_EQ(fe.Read(0xd000, 0), 4);
  fe.SelectByAddress(0xd123);
  EXPECT_EQ(First(fe), 4U);
}

TEST(CartridgeTest, HasRamInAllBanks) {
  Cartridge sc = Numbered(CartridgeKind::kF6SC, 16384);
  EXPECT_EQ(sc.View()[0x80], 7);
  sc.Write(0x1005, 99, 0);
  for (unsigned bank = 0; bank < 4; ++bank) {
    sc.Read(0x1ff6 + bank, 0);
    EXPECT_EQ(sc.View()[0x85], 99);
    EXPECT_EQ(sc.View()[0x05], 4 * bank);  // the write port reads as ROM
  }
  EXPECT_EQ(sc.Ram()[5], 99);
  const Cartridge::State state = sc.Save();
  sc.Write(0x1005, 1, 0);
  sc.Restore(state);
  EXPECT_EQ(sc.View()[0x85], 99);
}

TEST(CartridgeTest, FetchesGraphics) {
  std::vector<std::uint8_t> bytes(10240);
  for (std::size_t i = 0; i < 2048; ++i) bytes[8192 + i] = static_cast<std::uint8_t>(i);
  Cartridge dpc(Rom::Load(bytes, CartridgeKind::kDpc));
  dpc.Reset(DrawSeven);
  dpc.Write(0x1051, 0x10, 0);  // fetcher 1's counter, low
  dpc.Write(0x1059, 0x02, 0);  // and high
  EXPECT_EQ(dpc.Read(0x1009, 0), (2047 - 0x210) & 0xff);
  EXPECT_EQ(dpc.Read(0x1009, 0), (2047 - 0x20f) & 0xff);
  dpc.Write(0x1041, 0x0d, 0);         // its top
  EXPECT_EQ(dpc.Read(0x1011, 0), 0);  // not there yet
  dpc.Read(0x1009, 0);
  EXPECT_NE(dpc.Read(0x1011, 0), 0);
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
