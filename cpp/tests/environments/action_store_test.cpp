#include "environments/action_store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace envpool {
namespace {

const std::vector<std::int32_t> kIds = {2, 0};

template <class T>
ArrayView View(const std::vector<T>& values, std::size_t elements = 1) {
  return {reinterpret_cast<const std::byte*>(values.data()), DTypeOf<T>(),
          values.size() / elements};
}

// What storing the array throws, or "" if it is accepted.
template <class T>
std::string Refusal(ActionStore& store, const std::vector<T>& values, std::size_t elements = 1) {
  try {
    store.Store(0, View(values, elements), kIds);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(ActionStore, ConvertsBetweenNumbers) {
  ActionStore store({Discrete("action", 5)}, 3, 1);
  EXPECT_EQ(Refusal(store, std::vector<std::int64_t>{4, 3}), "");
  EXPECT_EQ(store.Get(2, 1).Value<std::int32_t>(), 4);
  EXPECT_EQ(store.Get(0, 1).Value<std::int32_t>(), 3);
  EXPECT_EQ(Refusal(store, std::vector<double>{1.0, 0.0}), "");
  EXPECT_EQ(store.Get(2, 1).Value<std::int32_t>(), 1);
  EXPECT_EQ(Refusal(store, std::vector<std::uint8_t>{2, 4}), "");
  EXPECT_EQ(store.Get(0, 1).Value<std::int32_t>(), 4);
}

TEST(ActionStore, TakesAnArrayForEachField) {
  ActionStore store({Discrete("a", 5), Discrete("b", 5)}, 3, 1);
  const std::vector<std::int64_t> values = {1, 2};
  const std::vector<ArrayView> arrays(3, View(values));
  for (const std::size_t count : {0, 1, 3}) {
    EXPECT_THROW(store.StoreAll({arrays.data(), count}, kIds, {}), std::invalid_argument);
  }
  store.StoreAll({arrays.data(), 2}, kIds, {});
}

TEST(ActionStore, RefusesWhatNoDiscreteActionIs) {
  ActionStore store({Discrete("action", 5)}, 3, 1);
  EXPECT_EQ(Refusal(store, std::vector<std::int64_t>{0, 5}),
            "action[1] is 5, expected an integer from 0 to 4");
  EXPECT_NE(Refusal(store, std::vector<std::int64_t>{-1, 0}), "");
  EXPECT_NE(Refusal(store, std::vector<std::int64_t>{std::int64_t{1} << 32, 0}), "");
  EXPECT_NE(Refusal(store, std::vector<std::uint64_t>{~std::uint64_t{0}, 0}), "");
  EXPECT_NE(Refusal(store, std::vector<double>{0.5, 0}), "");
  EXPECT_NE(Refusal(store, std::vector<double>{std::nan(""), 0}), "");
  EXPECT_NE(Refusal(store, std::vector<float>{std::numeric_limits<float>::infinity(), 0}), "");
}

TEST(ActionStore, BoxesPassWhatIsOutsideTheirBoundsButNotNan) {
  ActionStore store({Box("action", DType::kFloat32, {2}, {-1}, {1})}, 3, 1);
  EXPECT_EQ(Refusal(store, std::vector<double>{5, -5, 0.25, 1e300}, 2), "");
  EXPECT_EQ(store.Get(2, 1).Values<float>()[1], -5.0F);
  EXPECT_TRUE(std::isinf(store.Get(0, 1).Values<float>()[1]));
  EXPECT_EQ(Refusal(store, std::vector<float>{0, 0, 0, std::nanf("")}, 2),
            "action[1, 1] is nan, expected a number, not NaN");
}

TEST(ActionStore, EachDialHasItsOwnRange) {
  ActionStore store({MultiDiscrete("action", {2, 9})}, 3, 1);
  EXPECT_EQ(Refusal(store, std::vector<std::int32_t>{1, 8, 0, 0}, 2), "");
  EXPECT_EQ(Refusal(store, std::vector<std::int32_t>{1, 8, 2, 0}, 2),
            "action[1, 0] is 2, expected an integer from 0 to 1");
}

TEST(ActionStore, IntegerBoxesTakeTheirTypesWholeRange) {
  ActionStore store({Box("action", DType::kInt8, {}, {0}, {1})}, 3, 1);
  EXPECT_EQ(Refusal(store, std::vector<std::int64_t>{127, -128}), "");
  EXPECT_NE(Refusal(store, std::vector<std::int64_t>{128, 0}), "");
}

TEST(ActionStore, RefusesToReadAnotherType) {
  ActionStore store({Discrete("gear", 5)}, 1, 1);
  try {
    store.Get(0, 1).Value<float>();
    FAIL() << "nothing was thrown";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "action 'gear' is of dtype int32, accessed as float32");
  }
}

TEST(ActionStore, PlayersHaveRowsOfTheirOwn) {
  ActionStore store({Discrete("action", 100).PerPlayer()}, 3, 4);
  const std::vector<int> counts = {3, 1};
  store.Store(0, View(std::vector<std::int32_t>{10, 11, 12, 20}), kIds, counts);
  EXPECT_EQ(store.Get(2, 3).Values<std::int32_t>()[2], 12);
  EXPECT_EQ(store.Get(0, 1).Values<std::int32_t>()[0], 20);
}

}  // namespace
}  // namespace envpool
