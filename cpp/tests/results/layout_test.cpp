#include "results/layout.h"

#include <gtest/gtest.h>

namespace envpool {
namespace {

Spec TwoPlayerSpec() {
  Spec spec;
  spec.observation = {Box("obs", DType::kUInt8, {3, 5}).PerPlayer()};
  spec.action = {Discrete("action", 2)};
  spec.info = {Box("speed", DType::kFloat64, {})};
  spec.max_num_players = 2;
  return spec;
}

TEST(Layout, ColumnsNeitherOverlapNorShareCacheLines) {
  constexpr std::size_t kRows = 7;
  const Layout layout(TwoPlayerSpec(), {DType::kFloat64, true, true}, kRows);
  std::size_t end = 0;
  for (const Column& column : layout.all) {
    EXPECT_EQ(column.offset % 64, 0U);
    EXPECT_GE(column.offset, end);
    end = column.offset + column.row_bytes * kRows * (column.per_player ? 2 : 1);
  }
  EXPECT_LE(end, layout.bytes);
  EXPECT_EQ(layout.observation[0].row_bytes, 15U);
  EXPECT_EQ(layout.reward.dtype, DType::kFloat64);
}

}  // namespace
}  // namespace envpool
