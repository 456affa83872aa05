// Garbage: ROMs and snapshots that nobody made with care lead no machine out of its memory, which
// sanitizers see, and painting or not never changes what a program does.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "atari2600/cpu/opcodes.h"
#include "atari2600/machine.h"
#include "envpool/archive.h"

namespace envpool::atari2600 {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::array kKinds = {CartridgeKind::k2K, CartridgeKind::k4K,   CartridgeKind::kF8,
                               CartridgeKind::kF6, CartridgeKind::kF8SC, CartridgeKind::kF6SC,
                               CartridgeKind::kE0, CartridgeKind::kFE,   CartridgeKind::kDpc};
constexpr std::array<std::size_t, kKinds.size()> kSizes = {2048,  4096, 8192, 16384, 8192,
                                                           16384, 8192, 8192, 10495};

class Garbage {
 public:
  explicit Garbage(unsigned seed) : random_(seed) {}

  unsigned Below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  std::uint8_t Byte() { return static_cast<std::uint8_t>(Below(256)); }

  // Returns random bytes, or random instructions that seldom stop the processor, whose operands
  // are often where something happens.
  Bytes Rom(std::size_t size) {
    Bytes bytes(size);
    for (std::uint8_t& byte : bytes) byte = Byte();
    if (Below(4) == 0) return bytes;
    for (std::size_t at = 0; at + 3 <= size;) {
      std::uint8_t code = Byte();
      if (kOpcodes[code].operation == Operation::kJAM && Below(50) != 0) code = 0xea;
      bytes[at] = code;
      const unsigned length = LengthOf(code);
      if (length == 2 && Below(2) == 0) bytes[at + 1] = static_cast<std::uint8_t>(Below(0x40));
      if (length == 3 && Below(2) == 0) PlaceAddress(bytes, at + 1);
      at += length;
    }
    return bytes;
  }

  Inputs Input() {
    Inputs inputs;
    inputs.swcha = Byte();
    inputs.swchb = Byte();
    inputs.tia.trigger = {Byte(), Byte()};
    for (std::int32_t& paddle : inputs.tia.paddle) {
      paddle = Below(3) == 0 ? kNoPaddle : static_cast<std::int32_t>(Below(1'000'000));
    }
    return inputs;
  }

  MachineConfig Config() {
    return {.ystart = static_cast<int>(Below(40)),
            .height = static_cast<int>(1 + Below(kMaxHeight)),
            .is_pal = Below(2) == 0,
            .has_hmove_blanks = Below(2) == 0};
  }

  // Changes some bytes, or all behind some byte.
  void Spoil(std::string& state) {
    const std::size_t changes = Below(5) == 0 ? state.size() : 1 + Below(8);
    for (std::size_t i = 0; i < changes; ++i) {
      const bool is_near_the_front = Below(2) == 0;
      const auto limit = static_cast<unsigned>(
          is_near_the_front ? std::min<std::size_t>(state.size(), 600) : state.size());
      state[Below(limit)] = static_cast<char>(Below(3) == 0 ? 0xff : Byte());
    }
  }

 private:
  void PlaceAddress(Bytes& bytes, std::size_t at) {
    static constexpr std::array<std::uint8_t, 8> kHigh = {0x00, 0x01, 0x02, 0x10,
                                                          0x1f, 0xff, 0xf0, 0xdf};
    bytes[at] = Below(3) == 0 ? static_cast<std::uint8_t>(0xe0 + Below(32)) : Byte();
    bytes[at + 1] = kHigh[Below(kHigh.size())];
  }

  std::mt19937 random_;
};

std::string StateOf(Machine& machine) {
  std::string bytes;
  Archive writer = Archive::Writer(bytes);
  machine.Serialize(writer);
  return bytes;
}

// Returns false if the state was refused.
bool TryToRestore(Machine& machine, const std::string& state) {
  try {
    Archive reader = Archive::Reader(state);
    machine.Serialize(reader);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

class FuzzTest : public testing::TestWithParam<std::size_t> {
 protected:
  std::shared_ptr<const Rom> MakeRom(Garbage& garbage) const {
    return Rom::Load(garbage.Rom(kSizes[GetParam()]), kKinds[GetParam()]);
  }
};

TEST_P(FuzzTest, GarbageRomsStayInside) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Garbage garbage(seed);
    const auto rom = MakeRom(garbage);
    const MachineConfig config = garbage.Config();
    Machine painted(rom, config);
    Machine unpainted(rom, config);
    painted.Reset();
    unpainted.Reset();
    for (int frame = 0; frame < 30; ++frame) {
      const Inputs inputs = garbage.Input();
      painted.RunFrame(inputs, true);
      unpainted.RunFrame(inputs, garbage.Below(4) == 0);
      ASSERT_TRUE(std::ranges::equal(painted.Ram(), unpainted.Ram())) << "seed " << seed;
      if (garbage.Below(4) != 0) continue;
      unpainted.PaintLast();
      ASSERT_TRUE(std::ranges::equal(painted.Screen(), unpainted.Screen())) << "seed " << seed;
    }
    ASSERT_EQ(StateOf(painted), StateOf(unpainted));
  }
}

TEST_P(FuzzTest, GarbageStatesStayInside) {
  unsigned accepted = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    Garbage garbage(1000 + seed);
    Machine machine(MakeRom(garbage), garbage.Config());
    machine.Reset();
    for (int frame = 0; frame < 5; ++frame) machine.RunFrame(garbage.Input(), false);
    const std::string state = StateOf(machine);
    for (int i = 0; i < 20; ++i) {
      std::string spoilt = state;
      garbage.Spoil(spoilt);
      if (!TryToRestore(machine, spoilt)) {
        if (garbage.Below(2) == 0) continue;  // what is left of a refused state is no danger, too
      } else {
        ++accepted;
      }
      for (int frame = 0; frame < 3; ++frame) {
        machine.RunFrame(garbage.Input(), garbage.Below(2) == 0);
      }
      machine.PaintLast();
    }
  }
  EXPECT_GT(accepted, 10U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, FuzzTest, testing::Range(std::size_t{0}, kKinds.size()));

}  // namespace
}  // namespace envpool::atari2600
