// Memory: the bytes that the rules of a game read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace envpool::atari {

// Addresses are those of the console, of which each byte has several: all are allowed.
class Memory {
 public:
  using Bytes = std::span<const std::uint8_t, 128>;

  Memory(Bytes ram, Bytes cartridge_ram) : ram_(ram), cartridge_ram_(cartridge_ram) {}

  // Returns a byte of the console's memory, which is at 0x80 to 0xff.
  int operator[](int address) const { return At(ram_, address); }

  // Returns a byte of the memory in the cartridge, which is at 0xf080 to 0xf0ff.
  int Cartridge(int address) const { return At(cartridge_ram_, address); }

  // Returns the number whose decimal digits are in these bytes, two in each, the first ones first.
  int Decimal(std::initializer_list<int> addresses) const {
    int number = 0;
    for (const int address : addresses) number = 100 * number + TwoDigits((*this)[address]);
    return number;
  }

  // Both are 0 to 15, whether they are decimal digits or not.
  static constexpr int UpperDigit(int byte) { return byte >> 4; }
  static constexpr int LowerDigit(int byte) { return byte & 15; }
  static constexpr int TwoDigits(int byte) { return 10 * UpperDigit(byte) + LowerDigit(byte); }

 private:
  static int At(Bytes bytes, int address) {
    return bytes[static_cast<std::size_t>(address & 0x7f)];
  }

  Bytes ram_;
  Bytes cartridge_ram_;
};

}  // namespace envpool::atari
