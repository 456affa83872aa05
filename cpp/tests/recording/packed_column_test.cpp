#include "recording/packed_column.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/recording/record_fixture.h"

namespace envpool {
namespace {

ReadColumn Read(const std::string& bytes) {
  std::string_view rest = bytes;
  ReadColumn column(rest);
  EXPECT_EQ(rest, "") << "there is nothing behind it";
  return column;
}

template <class T>
ReadColumn Pack(const std::vector<T>& values) {
  std::string bytes;
  AppendPacked<T>(bytes, values);
  return Read(bytes);
}

// The fewest of those that the format has.
unsigned BitsFor(std::uint64_t range) {
  for (const unsigned bits : {0U, 1U, 2U, 4U, 8U, 16U, 32U}) {
    if (range < 1ULL << bits) return bits;
  }
  return 64;
}

template <class T>
class PackedIntegers : public testing::Test {};
using Integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(PackedIntegers, Integers);

TYPED_TEST(PackedIntegers, CanBeNoneOneOrTheirTypesExtremes) {
  using Limits = std::numeric_limits<TypeParam>;
  const std::vector<std::vector<TypeParam>> cases = {
      {}, {0}, {1}, {Limits::min()}, {Limits::max()}, {Limits::max(), Limits::min()}, {3, 3, 3}};
  for (const auto& values : cases) {
    const ReadColumn column = Pack(values);
    EXPECT_EQ(column.dtype, DTypeOf<TypeParam>());
    EXPECT_EQ(column.As<TypeParam>(), values);
  }
  EXPECT_EQ(Pack(cases[5]).bits, 8 * sizeof(TypeParam));
}

TYPED_TEST(PackedIntegers, TakeAsFewBitsAsTheirRange) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<TypeParam>::max());
  for (std::uint64_t range = 0; range <= kMost && range < (1ULL << 40U); range = 2 * range + 1) {
    for (std::size_t count = 1; count < 18; ++count) {  // also those that end within a byte
      std::vector<TypeParam> values;
      for (std::size_t i = 0; i < count; ++i) {
        values.push_back(static_cast<TypeParam>(i % 3 == 0 ? range : i % 3 == 1 ? 0 : range / 2));
      }
      const ReadColumn column = Pack(values);
      EXPECT_EQ(column.As<TypeParam>(), values);
      EXPECT_EQ(column.bits, count == 1 ? 0 : BitsFor(range)) << range;
    }
  }
}

// Python reads the same bytes.
TEST(PackedColumn, IsAsTheFormatHasIt) {
  std::string bytes = "before";
  AppendPacked<std::int32_t>(bytes, std::vector<std::int32_t>{-5, -4, -2, -3, -2});
  const std::string head = {5, 2, 0, 0, 0, 0, 0, 0};
  const std::string least = {'\xfb', '\xff', '\xff', '\xff', '\xff', '\xff', '\xff', '\xff'};
  const std::string count = {5, 0, 0, 0, 0, 0, 0, 0};
  const std::string packed = {'\xb4', '\x03'};  // 0, 1, 3, 2 from the lowest bits up, and 3
  EXPECT_EQ(bytes, "before" + head + least + count + packed);
}

TEST(PackedColumn, HasFloatsAsTheyAre) {
  const std::vector<double> doubles = {0.0,
                                       -0.0,
                                       1e-310,
                                       1e300,
                                       -std::numeric_limits<double>::infinity(),
                                       std::numeric_limits<double>::quiet_NaN()};
  std::string bytes;
  AppendPacked<double>(bytes, doubles);
  EXPECT_EQ(bytes.substr(24), std::string(reinterpret_cast<const char*>(doubles.data()), 48));
  EXPECT_EQ(Read(bytes).bits, 64U);
  const std::vector<float> floats = {1.5F, -2.25F, 3e38F};
  EXPECT_EQ(Pack(floats).As<float>(), floats);
  EXPECT_EQ(Pack(std::vector<float>{}).As<float>(), std::vector<float>{});
}

TEST(PackedColumn, HasBoolsAsBytesThatMayBeNeither) {
  const std::vector<std::uint8_t> bools = {0, 1, 1, 0, 1, 0, 0, 0, 1};
  const std::vector<std::uint8_t> odd = {0, 255, 2};
  for (const auto& values : {bools, odd}) {
    std::string bytes;
    AppendPacked(bytes, DType::kBool, std::as_bytes(std::span(values)));
    const ReadColumn column = Read(bytes);
    EXPECT_EQ(column.dtype, DType::kBool);
    EXPECT_EQ(column.As<std::uint8_t>(), values);
    EXPECT_EQ(column.bits, values == bools ? 1U : 8U);
  }
}

TEST(PackedColumn, IsAboveABaseOfAnyType) {
  const auto pack = [](DType dtype, std::int64_t base, const std::vector<std::uint8_t>& above) {
    std::string bytes;
    AppendPackedAbove(bytes, dtype, base, above);
    const ReadColumn column = Read(bytes);
    EXPECT_EQ(column.dtype, dtype);
    return column;
  };
  EXPECT_EQ(pack(DType::kInt64, -3, {0, 2, 1}).As<std::int64_t>(),
            (std::vector<std::int64_t>{-3, -1, -2}));
  EXPECT_EQ(pack(DType::kFloat64, -1, {1, 2, 1}).As<double>(), (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(pack(DType::kFloat32, 7, {0, 255}).As<float>(), (std::vector<float>{7, 262}));
  EXPECT_EQ(pack(DType::kInt32, 7, {}).As<std::int32_t>(), std::vector<std::int32_t>{});
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(pack(DType::kInt64, lowest, {1, 0}).As<std::int64_t>(),
            (std::vector<std::int64_t>{lowest + 1, lowest}));
}

}  // namespace
}  // namespace envpool
