#include "recording/record_chunk.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tests/recording/record_fixture.h"

namespace envpool {
namespace {

using Ints = std::vector<std::int32_t>;
using Counts = std::vector<std::uint32_t>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class T>
ArrayView View(const std::vector<T>& values, std::size_t elements = 1) {
  return {reinterpret_cast<const std::byte*>(values.data()), DTypeOf<T>(),
          values.size() / elements};
}

ReadChunk Read(const RecordChunk& chunk) { return ReadChunk(chunk.Encode()); }

EpisodeEnd EndWith(double episode_return) {
  return {.episode_return = episode_return,
          .length = 5,
          .terminated = true,
          .truncated = false,
          .continues = false,
          .failed = false};
}

// Actions of this field, one environment each, as they are recorded.
template <class T>
ReadActions Recorded(const Field& field, const std::vector<T>& values) {
  RecordChunk chunk({&field, 1});
  const ArrayView view = View(values, field.Elements());
  chunk.AddSteps({}, {}, {&view, 1});
  return Read(chunk).actions.at(0);
}

TEST(RecordChunk, CanBeEmpty) {
  const std::vector<Field> fields = {Discrete("a", 3, -1), Box("b", DType::kFloat32, {2})};
  const RecordChunk chunk(fields);
  EXPECT_TRUE(chunk.IsEmpty());
  const ReadChunk read = Read(chunk);
  EXPECT_EQ(read.rows.size() + read.end_envs.size() + read.event_envs.size(), 0U);
  ASSERT_EQ(read.actions.size(), 2U);
  EXPECT_EQ(read.actions[0].Count() + read.actions[1].Count(), 0U);
}

TEST(RecordChunk, HasCallsForAllOrSome) {
  const Field field = Discrete("action", 2);
  RecordChunk chunk({&field, 1});
  const Ints three = {1, 0, 1}, one = {0};
  const ArrayView all = View(three), some = View(one);
  chunk.AddSteps({}, {}, {&all, 1});
  EXPECT_FALSE(chunk.IsEmpty());
  chunk.AddSteps(Ints{2}, {}, {&some, 1});
  chunk.AddSteps(Ints{2, 0, 1}, {}, {&all, 1});
  const ReadChunk read = Read(chunk);
  EXPECT_EQ(read.rows, (Counts{0, 1, 3}));
  EXPECT_EQ(read.ids, (Ints{2, 2, 0, 1}));
  EXPECT_EQ(read.players, Ints{});
  EXPECT_EQ(read.actions[0].As<std::int32_t>(), (Ints{1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(read.actions[0].values.size(), 7U);
}

TEST(RecordChunk, HasPlayersAndSeveralFields) {
  const std::vector<Field> fields = {Discrete("a", 4).PerPlayer(),
                                     Box("b", DType::kFloat64, {2}).PerPlayer()};
  RecordChunk chunk(fields);
  const Ints moves = {3, 0, 2};
  const std::vector<double> forces = {0.5, -0.0, 1e300, kNaN, -1.0, 2.0};
  const std::vector<ArrayView> views = {View(moves), View(forces, 2)};
  chunk.AddSteps({}, Ints{1, 2}, views);
  const ReadChunk read = Read(chunk);
  EXPECT_EQ(read.players, (Ints{1, 2}));
  EXPECT_EQ(read.actions[0].As<std::int32_t>(), moves);
  const std::vector<double> found = read.actions[1].As<double>();
  ASSERT_EQ(found.size(), forces.size());
  EXPECT_EQ(std::memcmp(found.data(), forces.data(), sizeof(double) * forces.size()), 0);
}

TEST(RecordChunk, TakesArraysOfOneTypeOnly) {
  const Field field = Discrete("action", 2);
  RecordChunk chunk({&field, 1});
  const Ints ints = {1};
  const std::vector<double> doubles = {1};
  const ArrayView as_int = View(ints), as_double = View(doubles);
  EXPECT_TRUE(chunk.Takes({&as_int, 1}) && chunk.Takes({&as_double, 1}));
  chunk.AddReset(0, std::nullopt);
  EXPECT_TRUE(chunk.Takes({&as_double, 1})) << "no actions yet";
  chunk.AddSteps({}, {}, {&as_double, 1});
  EXPECT_TRUE(chunk.Takes({&as_double, 1}));
  EXPECT_FALSE(chunk.Takes({&as_int, 1}));
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

TEST(RecordChunk, HasReturnsAsTheyAre) {
  const std::vector<double> returns = {1, -0.0, 0.1, 1e300, -kInfinity, kNaN};
  RecordChunk chunk({});
  for (const double value : returns) chunk.AddEnd(0, EndWith(value));
  const std::vector<double> read = Read(chunk).end_returns;
  ASSERT_EQ(read.size(), returns.size());
  EXPECT_EQ(std::memcmp(read.data(), returns.data(), sizeof(double) * returns.size()), 0);
}

TEST(RecordChunk, HasEndsAndEventsBetweenCalls) {
  const Field field = Discrete("action", 2);
  RecordChunk chunk({&field, 1});
  const Ints one = {1};
  const ArrayView view = View(one);
  const auto step = [&] { chunk.AddSteps({}, {}, {&view, 1}); };
  chunk.AddReset(7, 0xFEDC'BA98'7654'3210U);
  chunk.AddReset(8, std::nullopt);
  step();
  step();
  chunk.AddEvent(3, RecordEvent::kLost, "why");
  chunk.AddEnd(3, EndWith(1));
  step();
  EpisodeEnd odd = EndWith(2);
  odd = {.episode_return = 2,
         .length = std::numeric_limits<std::int32_t>::max(),
         .terminated = false,
         .truncated = true,
         .continues = true,
         .failed = true};
  chunk.AddEnd(0, odd);
  chunk.AddEvent(3, RecordEvent::kOptions, std::string(3, '\0'));
  const ReadChunk read = Read(chunk);
  EXPECT_EQ(read.event_calls, (Counts{0, 0, 2, 3}));
  EXPECT_EQ(read.event_envs, (Ints{7, 8, 3, 3}));
  EXPECT_EQ(read.event_kinds, (Ints{1, 0, 6, 3}));
  EXPECT_EQ(read.event_contents, (std::vector<std::string>{"\x10\x32\x54\x76\x98\xBA\xDC\xFE", "",
                                                           "why", std::string(3, '\0')}));
  EXPECT_EQ(read.end_calls, (Counts{2, 3}));
  EXPECT_EQ(read.end_envs, (Ints{3, 0}));
  EXPECT_EQ(read.end_lengths, (Ints{5, std::numeric_limits<std::int32_t>::max()}));
  EXPECT_EQ(read.end_flags, (Ints{1, 2 + 4 + 8}));
}

TEST(RecordChunk, KnowsItsSize) {
  const Field field = Box("action", DType::kFloat64, {});
  RecordChunk chunk({&field, 1});
  const std::vector<double> actions(1000);
  const ArrayView view = View(actions);
  chunk.AddSteps({}, {}, {&view, 1});
  EXPECT_GE(chunk.Bytes(), 8000U);
  EXPECT_LT(chunk.Bytes(), 8100U);
  chunk.AddEvent(0, RecordEvent::kState, std::string(5000, 'x'));
  EXPECT_GE(chunk.Bytes(), 13000U);
  chunk.Discard();
  EXPECT_TRUE(chunk.IsEmpty());
}

}  // namespace
}  // namespace envpool
