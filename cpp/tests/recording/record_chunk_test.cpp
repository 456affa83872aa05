#include "recording/record_chunk.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/recording/record_fixture.h"

namespace envpool {
namespace {

using Ints = std::vector<std::int32_t>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class T>
ArrayView View(const std::vector<T>& values, std::size_t elements = 1) {
  return {reinterpret_cast<const std::byte*>(values.data()), DTypeOf<T>(),
          values.size() / elements};
}

ReadChunk Read(const RecordChunk& chunk) { return ReadChunk(chunk.Encode()); }

// Actions of this field, one environment each, as they are recorded.
template <class T>
ReadActions Recorded(const Field& field, const std::vector<T>& values) {
  RecordChunk chunk({&field, 1});
  const ArrayView view = View(values, field.Elements());
  chunk.AddSteps({}, {}, {&view, 1});
  return Read(chunk).actions.at(0);
}

TEST(RecordChunk, HasSmallIntegersOfAnyTypeInAByteEach) {
  const Field field = Discrete("action", 256, -128);
  EXPECT_EQ(Recorded(field, std::vector<std::int8_t>{-128, 127}).As<int>(), (Ints{-128, 127}));
  EXPECT_EQ(Recorded(field, std::vector<std::int64_t>{-128, 127}).As<int>(), (Ints{-128, 127}));
  EXPECT_EQ(Recorded(field, std::vector<std::uint64_t>{0, 127}).As<int>(), (Ints{0, 127}));
  EXPECT_EQ(Recorded(field, std::vector<float>{-128, 127}).As<float>(),
            (std::vector<float>{-128, 127}));
  EXPECT_EQ(Recorded(field, std::vector<double>{-1, 0}).As<double>(), (std::vector<double>{-1, 0}));
  EXPECT_EQ(Recorded(field, std::vector<double>{-1, 0}).dtype, DType::kFloat64);
  EXPECT_EQ(Recorded(field, std::vector<double>{-1, 0}).kept_as, DType::kFloat64);
  EXPECT_EQ(Recorded(field, Ints{-1, 0}).kept_as, DType::kInt8);
  EXPECT_EQ(Recorded(Discrete("action", 255, 1), Ints{1, 255}).As<int>(), (Ints{1, 255}));
  const Field flags = MultiBinary("action", {2});
  const std::vector<std::uint8_t> bools = {0, 1, 1, 0};
  const ArrayView view = {reinterpret_cast<const std::byte*>(bools.data()), DType::kBool, 2};
  RecordChunk chunk({&flags, 1});
  chunk.AddSteps({}, {}, {&view, 1});
  EXPECT_EQ(Read(chunk).actions[0].As<std::uint8_t>(), bools);
}

TEST(RecordChunk, HasIntegersOfFarBoundsAsTheyAre) {
  const std::vector<std::int64_t> values = {std::numeric_limits<std::int64_t>::min(), 0,
                                            std::numeric_limits<std::int64_t>::max()};
  EXPECT_EQ(Recorded(Discrete("action", 257), values).As<std::int64_t>(), values);
  EXPECT_EQ(Recorded(Box("action", DType::kInt64, {}), values).As<std::int64_t>(), values);
  const std::vector<double> floats = {kNaN, 1e300};
  EXPECT_EQ(Recorded(Discrete("action", 257), floats).kept_as, DType::kFloat64);
  EXPECT_EQ(Recorded(Discrete("action", 3, 254), Ints{256}).kept_as, DType::kInt32);
  EXPECT_EQ(Recorded(Discrete("action", 130, -1), Ints{128}).kept_as, DType::kInt32);
}

}  // namespace
}  // namespace envpool
