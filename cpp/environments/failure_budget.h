// FailureBudget: how many failures of its environments a pool survives: see Episodes::Survive.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace envpool {

// The threads of a pool share it, or in shared memory its processes.
struct FailureBudget {
  std::atomic<std::int64_t> most = 0;   // 0: the caller is told of every failure
  std::atomic<std::int64_t> count = 0;  // since the pool's creation

  std::pair<std::int64_t, std::int64_t> Counts() const { return {count.load(), most.load()}; }
  bool IsSpent() const { return count.load() >= most.load(); }

  // Returns true if one more failure may be survived, and counts it.
  bool Take() {
    std::int64_t known = count.load();
    while (known < most.load()) {
      if (count.compare_exchange_weak(known, known + 1)) return true;
    }
    return false;
  }
};

}  // namespace envpool
