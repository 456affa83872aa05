#include "threads/gate.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace envpool {
namespace {

TEST(Gate, WaitForGivesUpInTime) {
  Gate gate;
  EXPECT_FALSE(gate.WaitFor(std::chrono::milliseconds(5), [] { return false; }));
  EXPECT_TRUE(gate.WaitFor(std::chrono::milliseconds(5), [] { return true; }));
  EXPECT_EQ(gate.Waiters(), 0);
}

// Hands a token back and forth: one lost wake-up and the test never ends.
TEST(Gate, LosesNoWakeUp) {
  constexpr int kRounds = 20000;
  Gate gate;
  std::atomic<int> turn = 0;
  const auto play = [&](int me) {
    for (int round = 0; round < kRounds; ++round) {
      gate.Wait([&] { return turn.load() % 2 == me; });
      turn.fetch_add(1);
      gate.NotifyAll();
    }
  };
  std::thread other([&] { play(1); });
  play(0);
  other.join();
  EXPECT_EQ(turn.load(), 2 * kRounds);
}

TEST(Gate, WakesAsManyAsThereIsWorkFor) {
  Gate gate;
  std::atomic<int> tokens = 0;
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      gate.Wait([&] { return tokens.load() > 0; });
      tokens.fetch_sub(1);
      done.fetch_add(1);
    });
  }
  while (gate.Waiters() < 4) std::this_thread::yield();
  tokens.store(4);
  gate.Notify(2);
  while (done.load() < 2) std::this_thread::yield();
  gate.NotifyAll();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done.load(), 4);
}

}  // namespace
}  // namespace envpool
