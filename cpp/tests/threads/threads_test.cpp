// Threads of the executor are counted.
#include "threads/threads.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

namespace envpool {
namespace {

TEST(Threads, AreCountedUntilTheyHaveEnded) {
  std::atomic<bool> is_held = true;
  const auto wait = [&is_held] {
    while (is_held) std::this_thread::yield();
  };
  std::thread first = StartThread(wait);
  std::thread second = StartThread(wait);
  EXPECT_EQ(RunningThreads(), 2);
  is_held = false;
  first.join();
  second.join();
  EXPECT_EQ(RunningThreads(), 0);
}

TEST(Threads, AreTheirProcesssOwn) {
  std::atomic<bool> is_held = true;
  std::thread thread = StartThread([&is_held] {
    while (is_held) std::this_thread::yield();
  });
  const pid_t child = fork();
  if (child == 0) _exit(RunningThreads());
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(RunningThreads(), 1);
  is_held = false;
  thread.join();
}

// Who waits for the count also waits for that.
TEST(Threads, GiveBackWhatTheyOwnBeforeTheyEnd) {
  auto owned = std::make_shared<int>(0);
  const std::weak_ptr<int> watch = owned;
  StartThread([owned = std::move(owned)] {}).detach();
  while (RunningThreads() > 0) std::this_thread::yield();
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace envpool
