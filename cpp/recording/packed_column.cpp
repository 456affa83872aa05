#include "recording/packed_column.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace envpool {

namespace {

template <class T>
void AppendNumber(std::string& bytes, T value) {
  char text[sizeof(T)];
  std::memcpy(text, &value, sizeof(T));
  bytes.append(text, sizeof(T));
}

void AppendHead(std::string& bytes, DType dtype, unsigned bits, std::uint64_t least,
                std::uint64_t count) {
  AppendNumber(bytes, static_cast<std::uint8_t>(dtype));
  AppendNumber(bytes, static_cast<std::uint8_t>(bits));
  bytes.append(6, '\0');
  AppendNumber(bytes, least);
  AppendNumber(bytes, count);
}

unsigned BitsFor(std::uint64_t range) {
  if (range == 0) return 0;
  unsigned bits = 1;
  while (bits < 64 && range >> bits != 0) bits *= 2;
  return bits;
}

// Each value in a number of its own.
template <class Target, class T>
void AppendWhole(std::string& bytes, std::span<const T> values, std::uint64_t least) {
  std::vector<Target> packed(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    packed[i] = static_cast<Target>(static_cast<std::uint64_t>(values[i]) - least);
  }
  bytes.append(reinterpret_cast<const char*>(packed.data()), packed.size() * sizeof(Target));
}

// Several values in a byte, the first one lowest.
template <unsigned kBits, class T>
void AppendParts(std::string& bytes, std::span<const T> values, std::uint64_t least) {
  constexpr std::size_t kPerByte = 8 / kBits;
  const auto part = [&](std::size_t i) {
    return static_cast<unsigned>(static_cast<std::uint64_t>(values[i]) - least);
  };
  std::string packed((values.size() + kPerByte - 1) / kPerByte, '\0');
  const std::size_t whole = values.size() / kPerByte;
  for (std::size_t place = 0; place < whole; ++place) {
    unsigned byte = 0;
    for (std::size_t i = 0; i < kPerByte; ++i) byte |= part(place * kPerByte + i) << (i * kBits);
    packed[place] = static_cast<char>(byte);
  }
  unsigned rest = 0;
  for (std::size_t i = whole * kPerByte; i < values.size(); ++i) {
    rest |= part(i) << (i % kPerByte * kBits);
  }
  if (whole < packed.size()) packed[whole] = static_cast<char>(rest);
  bytes += packed;
}

// `values` and what they are the rest of, `base`.
template <class T>
void AppendIntegers(std::string& bytes, DType dtype, std::span<const T> values,
                    std::uint64_t base = 0) {
  T low = values.empty() ? T{} : values[0];
  T high = low;
  for (const T value : values) {  // which is faster than std::ranges::minmax
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const auto least = static_cast<std::uint64_t>(low);
  const unsigned bits = BitsFor(static_cast<std::uint64_t>(high) - least);
  AppendHead(bytes, dtype, bits, least + base, values.size());
  switch (bits) {
    case 0: return;
    case 1: return AppendParts<1>(bytes, values, least);
    case 2: return AppendParts<2>(bytes, values, least);
    case 4: return AppendParts<4>(bytes, values, least);
    case 8: return AppendWhole<std::uint8_t>(bytes, values, least);
    case 16: return AppendWhole<std::uint16_t>(bytes, values, least);
    case 32: return AppendWhole<std::uint32_t>(bytes, values, least);
    default: return AppendWhole<std::uint64_t>(bytes, values, least);
  }
}

}  // namespace

void AppendPacked(std::string& bytes, DType dtype, std::span<const std::byte> values) {
  VisitDType(dtype, [&]<class T>() {
    // NumPy's bools are bytes, and some are neither 0 nor 1.
    using Value = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    const std::span<const Value> numbers(reinterpret_cast<const Value*>(values.data()),
                                         values.size() / sizeof(Value));
    if constexpr (std::is_floating_point_v<Value>) {
      AppendHead(bytes, dtype, 8 * sizeof(Value), 0, numbers.size());
      bytes.append(reinterpret_cast<const char*>(values.data()), values.size());
    } else {
      AppendIntegers(bytes, dtype, numbers);
    }
  });
}

void AppendPackedAbove(std::string& bytes, DType dtype, std::int64_t base,
                       std::span<const std::uint8_t> above) {
  AppendIntegers(bytes, dtype, above, static_cast<std::uint64_t>(base));
}

}  // namespace envpool
