// PackedColumn: numbers of a recording in as few bytes as they need, and as NumPy can unpack them.
//
// Integers, also those of floats, are stored as what they exceed the least of them by, in 0, 1, 2,
// 4, 8, 16, 32 or 64 bits each; other floats as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "envpool/dtype.h"

namespace envpool {

// Appends the values, which are of this type, to `bytes`: the number of the DType and the bits of a
// value (a byte each), six bytes of nothing, the least value and how many there are (8 bytes each),
// and the packed values up to a whole byte.
void AppendPacked(std::string& bytes, DType dtype, std::span<const std::byte> values);

// The same for integers of this type that are given as what they exceed `base` by.
void AppendPackedAbove(std::string& bytes, DType dtype, std::int64_t base,
                       std::span<const std::uint8_t> above);

template <class T>
void AppendPacked(std::string& bytes, std::span<const T> values) {
  AppendPacked(bytes, DTypeOf<T>(), std::as_bytes(values));
}

}  // namespace envpool
