#include "results/block_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

namespace envpool {
namespace {

TEST(BlockPool, RecyclesReturnedBlocks) {
  const auto pool = std::make_shared<BlockPool>(100, 4);
  std::byte* first = nullptr;
  {
    const BlockLease lease(pool);
    first = lease.get();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 64, 0U);
  }
  const BlockLease again(pool);
  EXPECT_EQ(again.get(), first);
  const BlockLease other(pool);
  EXPECT_NE(other.get(), first);
}

TEST(BlockPool, LeasesOutliveThePoolsOwner) {
  auto pool = std::make_shared<BlockPool>(8, 4);
  BlockLease lease(pool);
  pool.reset();
  lease.get()[7] = std::byte{1};
  EXPECT_EQ(lease.get()[7], std::byte{1});
}

TEST(BlockPool, MovesLeaveNothingBehind) {
  const auto pool = std::make_shared<BlockPool>(8, 4);
  BlockLease a(pool);
  std::byte* memory = a.get();
  BlockLease b = std::move(a);
  EXPECT_EQ(b.get(), memory);
  BlockLease c;
  c = std::move(b);
  EXPECT_EQ(c.get(), memory);
}

TEST(BlockPool, NoTwoThreadsHoldTheSameBlock) {
  const auto pool = std::make_shared<BlockPool>(sizeof(std::size_t), 8);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&pool, thread] {
      for (int i = 0; i < 5000; ++i) {
        const BlockLease lease(pool);
        auto* owner = reinterpret_cast<std::size_t*>(lease.get());
        *owner = thread;
        std::this_thread::yield();
        ASSERT_EQ(*owner, thread);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace envpool
