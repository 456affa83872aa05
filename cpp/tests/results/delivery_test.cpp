// What failed environments and absent players leave of a batch.
#include "results/batches.h"
#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

Spec MakeSpec(int players) {
  Spec spec{.observation = {Box("obs", DType::kInt32, {2})}, .action = {}, .info = {}};
  Field field = Box("players.id", DType::kInt32, {});
  field.per_player = true;
  if (players > 1) spec.info = {field};
  spec.max_num_players = players;
  return spec;
}

// Row r has env_id 10 + r and the observation {r, -r}.
Delivery MakeDelivery(const Layout& layout, std::size_t rows) {
  Delivery delivery;
  delivery.block = BlockLease(std::make_shared<BlockPool>(layout.bytes, 1));
  delivery.rows = rows;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto number = static_cast<std::int32_t>(row);
    layout.env_id.At<std::int32_t>(delivery.block.get(), row, 1)[0] = 10 + number;
    const auto observation = layout.observation[0].At<std::int32_t>(delivery.block.get(), row, 1);
    observation[0] = number;
    observation[1] = -number;
  }
  return delivery;
}

TEST(CloseGaps, LeavesAFullBatchAlone) {
  const Layout layout(MakeSpec(1), {}, 4);
  Delivery delivery = MakeDelivery(layout, 3);
  delivery.CloseGaps(layout);
  EXPECT_EQ(delivery.rows, 3U);
  EXPECT_EQ(delivery.player_rows, 3U);
  EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.env_id), (Ints{10, 11, 12}));
}

TEST(CloseGaps, MovesRowsUpOverThoseThatFailed) {
  const Layout layout(MakeSpec(1), {}, 5);
  Delivery delivery = MakeDelivery(layout, 5);
  delivery.errors = {{3, 13, "late"}, {0, 10, "early"}};
  delivery.CloseGaps(layout);
  EXPECT_EQ(delivery.rows, 3U);
  EXPECT_EQ(delivery.player_rows, 3U);
  EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.env_id), (Ints{11, 12, 14}));
  EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.observation[0])[0], 1);
  const auto observations =
      layout.observation[0].At<std::int32_t>(delivery.block.get(), 0, delivery.rows);
  EXPECT_EQ(Ints(observations.begin(), observations.end()), (Ints{1, -1, 2, -2, 4, -4}));
  EXPECT_EQ(delivery.errors[0].row, 0U) << "in the order of the rows";
}

TEST(CloseGaps, MayLeaveNothing) {
  const Layout layout(MakeSpec(1), {}, 2);
  Delivery delivery = MakeDelivery(layout, 2);
  delivery.errors = {{0, 10, ""}, {1, 11, ""}};
  delivery.CloseGaps(layout);
  EXPECT_EQ(delivery.rows, 0U);
  EXPECT_EQ(delivery.player_rows, 0U);
}

TEST(CloseGaps, BringsThePlayersOfAllTogether) {
  const Layout layout(MakeSpec(3), {}, 4);
  Delivery delivery = MakeDelivery(layout, 4);
  const Ints players = {2, 3, 0, 1};
  for (std::size_t row = 0; row < 4; ++row) {
    std::byte* block = delivery.block.get();
    layout.player_count.At<std::int32_t>(block, row, 1)[0] = players[row];
    for (std::size_t player = 0; player < 3; ++player) {
      layout.info[0].At<std::int32_t>(block, 3 * row + player, 1)[0] =
          static_cast<std::int32_t>(10 * row + player);
    }
  }
  delivery.errors = {{1, 11, "failed"}};
  delivery.CloseGaps(layout);
  EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.env_id), (Ints{10, 12, 13}));
  EXPECT_EQ(delivery.player_rows, 3U);
  EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.info[0]), (Ints{0, 1, 30}));
}

}  // namespace
}  // namespace envpool
