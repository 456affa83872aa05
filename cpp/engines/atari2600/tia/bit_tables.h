// Bit tables: what becomes of the eight bits of a byte, looked up rather than computed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace envpool::atari2600 {

// Returns each bit of the byte repeated `times` times, the lowest first.
constexpr std::uint64_t RepeatBits(std::size_t byte, unsigned times) {
  const std::uint64_t ones = (std::uint64_t{1} << times) - 1;
  std::uint64_t result = 0;
  for (unsigned bit = 0; bit < 8; ++bit) {
    if (byte >> bit & 1) result |= ones << (times * bit);
  }
  return result;
}

template <class Value>
constexpr std::array<Value, 256> MakeRepeatTable(unsigned times) {
  std::array<Value, 256> table = {};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    table[byte] = static_cast<Value>(RepeatBits(byte, times));
  }
  return table;
}

constexpr std::array<std::uint8_t, 256> MakeReversed() {
  std::array<std::uint8_t, 256> table = {};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned reversed = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      if (byte >> bit & 1) reversed |= 0x80U >> bit;
    }
    table[byte] = static_cast<std::uint8_t>(reversed);
  }
  return table;
}

inline constexpr std::array<std::uint8_t, 256> kReversed = MakeReversed();
inline constexpr auto kBitsTwice = MakeRepeatTable<std::uint16_t>(2);
inline constexpr auto kBitsFourTimes = MakeRepeatTable<std::uint32_t>(4);
inline constexpr auto kBitsToBytes = MakeRepeatTable<std::uint64_t>(8);  // 0x00 or 0xff each

}  // namespace envpool::atari2600
