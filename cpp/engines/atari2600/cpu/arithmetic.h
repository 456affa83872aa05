// Arithmetic: the processor's sums, binary and decimal.
#pragma once

#include <cstdint>

namespace envpool::atari2600 {

struct Sum {
  std::uint8_t value;
  unsigned carry;  // 0 or 1
  bool overflow;
  // What N and Z are of: as Registers::result.
  unsigned result;
};

constexpr int FromDecimal(unsigned byte) {
  return static_cast<int>((byte >> 4) * 10 + (byte & 15));
}
constexpr std::uint8_t ToDecimal(int number) {
  return static_cast<std::uint8_t>(number % 100 / 10 << 4 | number % 10);
}

// ALE: N, Z and V are those of the decimal result, and digits above 9 count as what they are.
constexpr Sum MakeDecimalSum(unsigned a, unsigned value, int number, bool carry) {
  const std::uint8_t sum = ToDecimal(number & 0xff);
  return {sum, carry, ((a ^ sum) & (sum ^ value) & 0x80) != 0, sum};
}

[[gnu::always_inline]] inline Sum AddWithCarry(unsigned a, unsigned value, unsigned carry,
                                               bool is_decimal) {
  if (is_decimal) [[unlikely]] {
    const int number = FromDecimal(a) + FromDecimal(value) + static_cast<int>(carry);
    return MakeDecimalSum(a, value, number, number > 99);
  }
  const unsigned sum = a + value + carry;
  return {static_cast<std::uint8_t>(sum), sum >> 8, (~(a ^ value) & (a ^ sum) & 0x80) != 0,
          sum & 0xff};
}

[[gnu::always_inline]] inline Sum SubtractWithCarry(unsigned a, unsigned value, unsigned carry,
                                                    bool is_decimal) {
  if (!is_decimal) return AddWithCarry(a, value ^ 0xff, carry, false);
  const unsigned borrow = 1 - carry;
  int number = FromDecimal(a) - FromDecimal(value) - static_cast<int>(borrow);
  if (number < 0) number += 100;
  return MakeDecimalSum(a, value, number, a >= value + borrow);
}

// The undocumented ARR: AND, then a rotation whose flags come from the adder.
constexpr Sum AndRotate(unsigned a, unsigned value, unsigned carry, bool is_decimal) {
  const unsigned both = a & value;
  unsigned rotated = both >> 1 | carry << 7;
  if (!is_decimal) {
    return {static_cast<std::uint8_t>(rotated), rotated >> 6 & 1,
            ((rotated >> 6 ^ rotated >> 5) & 1) != 0, rotated};
  }
  const unsigned result = rotated | (carry != 0 ? 0x8000U : 0U);
  const bool overflow = ((both ^ rotated) & 0x40) != 0;
  if ((both & 15) + (both & 1) > 5) rotated = (rotated & 0xf0) | ((rotated + 6) & 15);
  const bool carries = (both & 0xf0) + (both & 0x10) > 0x50;
  if (carries) rotated += 0x60;
  return {static_cast<std::uint8_t>(rotated), carries, overflow, result};
}

}  // namespace envpool::atari2600
