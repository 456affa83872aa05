// Tests of ForkLocal: shared among threads, and made anew in a forked child.
#include "envpool/fork_local.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mutex>
#include <thread>
#include <vector>

namespace envpool {
namespace {

struct Counter {
  std::mutex mutex;
  int count = 0;
};

TEST(ForkLocal, ThreadsShareIt) {
  constinit static ForkLocal<Counter> counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([] {
      Counter& shared = counter.Get();
      const std::lock_guard lock(shared.mutex);
      ++shared.count;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter.Get().count, 8);
}

TEST(ForkLocal, AChildHasItsOwnThoughTheParentsIsLocked) {
  constinit static ForkLocal<Counter> counter;
  Counter& parents = counter.Get();
  const std::lock_guard lock(parents.mutex);
  parents.count = 5;
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);  // ends a hang
    Counter& own = counter.Get();
    const std::lock_guard own_lock(own.mutex);
    _exit(own.count == 0 && &own == &counter.Get() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(&counter.Get(), &parents);
}

}  // namespace
}  // namespace envpool
