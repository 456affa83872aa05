// How rows are taken and completed, also when a worker ends in the middle of it.
#include "workers/exchange.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <thread>

#include "tests/workers/pool_fixture.h"

namespace envpool {
namespace {

class ExchangeTest : public testing::Test {
 protected:
  static constexpr int kEnvs = 200;
  static constexpr int kRows = 70;  // more than a word of bits has

  const SharedConfig config_ = MakeConfig(kEnvs, kRows, 2);
  const Layout layout_ = config_.MakeLayout();
  const File file_ = File::Create("test");
  Exchange exchange_{file_, config_, layout_};
};

TEST_F(ExchangeTest, IsTheSameForAll) {
  Exchange other(file_, config_, layout_);
  exchange_.Env(7).place = Place{1, 3};
  exchange_.Block(1)[5] = std::byte{9};
  EXPECT_EQ(other.Env(7).place.value().row, 3U);
  EXPECT_EQ(other.Block(1)[5], std::byte{9});
  EXPECT_EQ(other.IndexOf(other.Block(1)), 1U);
  const SharedConfig larger = MakeConfig(kEnvs + 100, kRows, 2);
  EXPECT_THROW(Exchange(file_, larger, larger.MakeLayout()), std::runtime_error);
}

TEST_F(ExchangeTest, ABatchIsReadyWithItsLastRow) {
  for (const std::size_t rows : {1, 63, 64, 65, 70}) {
    exchange_.Open(1, rows, 0);
    for (std::uint32_t row = 0; row < rows; ++row) {
      EXPECT_FALSE(exchange_.IsReady(1));
      EXPECT_FALSE(exchange_.IsComplete({1, row}));
      EXPECT_EQ(exchange_.Complete({1, row}), row + 1 == rows);
      EXPECT_EQ(exchange_.Complete({1, row}), row + 1 == rows) << "twice is once";
      EXPECT_TRUE(exchange_.IsComplete({1, row}));
    }
    EXPECT_TRUE(exchange_.IsReady(1));
  }
}

// Workers take rows at the same time; each row is somebody's, and is found afterwards.
TEST_F(ExchangeTest, NoRowIsTakenTwice) {
  constexpr std::uint32_t kThreads = 4;
  for (std::uint64_t round = 0; round < 200; ++round) {
    std::array<std::vector<Place>, kThreads> taken;
    std::vector<std::thread> threads;
    for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::uint32_t i = 0; i < 35; ++i) {
          taken[thread].push_back(exchange_.TakeRow(thread * 35 + i));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::set<std::pair<std::uint32_t, std::uint32_t>> places;
    for (std::uint32_t env = 0; env < kThreads * 35; ++env) {
      const Place place = taken[env / 35][env % 35];
      EXPECT_TRUE(places.insert({place.batch, place.row}).second);
      const auto found = exchange_.FindRow(env, round * kThreads * 35);
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(std::pair(found->batch, found->row), std::pair(place.batch, place.row));
    }
  }
}

}  // namespace
}  // namespace envpool
