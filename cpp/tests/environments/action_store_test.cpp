#include "environments/action_store.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace envpool {
namespace {

const std::vector<std::int32_t> kIds = {2, 0};

ArrayView View(const std::vector<std::int64_t>& values) {
  return {reinterpret_cast<const std::byte*>(values.data()), DType::kInt64, values.size()};
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

TEST(ActionStore, IntegerBoxesTakeTheirTypesWholeRange) {
  ActionStore store({Box("action", DType::kInt8, {}, {0}, {1})}, 3, 1);
  const std::vector<std::int64_t> least = {127, -128}, more = {128, 0};
  store.Store(0, View(least), kIds);
  EXPECT_EQ(store.Get(0, 1).Value<std::int8_t>(), -128);
  EXPECT_THROW(store.Store(0, View(more), kIds), std::invalid_argument);
}

}  // namespace
}  // namespace envpool
