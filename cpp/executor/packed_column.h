// PackedColumn: numbers of a recording in as few bytes as they need, and as NumPy can unpack them.
//
// Integers are stored as what they exceed the least of them by, in 0, 1, 2, 4, 8, 16, 32 or 64 bits
// each; floats as they are.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "envpool/dtype.h"

namespace envpool {

// Appends the values, which are of this type, to `bytes`: the number of the DType and the bits of a
// value (a byte each), six bytes of nothing, the least value and how many there are (8 bytes each),
// and the packed values up to a whole byte.
void AppendPacked(std::string& bytes, DType dtype, std::span<const std::byte> values);

template <class T>
void AppendPacked(std::string& bytes, std::span<const T> values) {
  AppendPacked(bytes, DTypeOf<T>(), std::as_bytes(values));
}

}  // namespace envpool
