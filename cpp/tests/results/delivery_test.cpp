// What failed environments and absent players leave of a batch; tests of Python have the rest.
#include "results/batches.h"
#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

TEST(CloseGaps, BringsThePlayersOfAllTogether) {
  Spec spec{.observation = {Box("obs", DType::kInt32, {})},
            .action = {},
            .info = {Box("players.id", DType::kInt32, {}).PerPlayer()}};
  spec.max_num_players = 3;
  const Layout layout(spec, {}, 4);
  Delivery delivery;
  delivery.block = BlockLease(std::make_shared<BlockPool>(layout.bytes, 1));
  delivery.rows = 4;
  const Ints players = {2, 3, 0, 1};
  for (std::size_t row = 0; row < 4; ++row) {
    std::byte* block = delivery.block.get();
    layout.env_id.At<std::int32_t>(block, row, 1)[0] = static_cast<std::int32_t>(10 + row);
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
