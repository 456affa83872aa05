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

TEST(Layout, ColumnsHaveNames) {
  const Layout layout(TwoPlayerSpec(), {.time_step = true, .final_rows = true}, 2);
  const auto find = [&layout](std::string_view name) { return layout.all[layout.IndexOf(name)]; };
  EXPECT_EQ(find("obs.obs").offset, layout.observation[0].offset);
  EXPECT_EQ(find("obs.obs").shape, (std::vector<int>{3, 5}));
  EXPECT_EQ(find("info.speed").offset, layout.info[0].offset);
  EXPECT_EQ(find("@discount").offset, layout.discount.offset);
  EXPECT_EQ(find("@players.env_id").offset, layout.players_env_id.offset);
  EXPECT_EQ(find("final_obs.obs").offset, layout.finals.observation[0].offset);
  EXPECT_EQ(find("final_info.speed").offset, layout.finals.info[0].offset);
  EXPECT_EQ(find("@final_elapsed_step").offset, layout.final_elapsed_step.offset);
  EXPECT_THROW(find("speed"), std::invalid_argument);
  EXPECT_THROW(find("@episode_return"), std::invalid_argument);  // is not in this layout
}

TEST(Layout, RefusesTwoFieldsOfTheSameName) {
  Spec spec = TwoPlayerSpec();
  spec.info.push_back(Box("speed", DType::kFloat32, {}));
  EXPECT_THROW(Layout(spec, {}, 1), std::invalid_argument);
}

TEST(Layout, ColumnsRefuseAnotherType) {
  const Layout layout(TwoPlayerSpec(), {}, 1);
  std::vector<std::byte> block(layout.bytes);
  EXPECT_THROW(layout.info[0].At<float>(block.data(), 0, 1), std::logic_error);
  EXPECT_STREQ(layout.info[0].label, "info 'speed'");
  EXPECT_STREQ(layout.observation[0].label, "observation 'obs'");
  EXPECT_EQ(layout.info[0].At<double>(block.data(), 0, 1).size(), 1U);
}

}  // namespace
}  // namespace envpool
