// FailureBudget: how many failures of its environments a pool survives: see Episodes::Survive.
#pragma once

#include <atomic>
#include <cstdint>

namespace envpool {

// The threads of a pool share it, or in shared memory its processes.
struct FailureBudget {
  std::atomic<std::int64_t> most = 0;  // 0: the caller is told of every failure
  std::atomic<std::int64_t> survived = 0;

  bool IsSpent() const { return survived.load() >= most.load(); }

  // Returns true if one more failure may be survived, and counts it.
  bool Take() {
    std::int64_t count = survived.load();
    while (count < most.load()) {
      if (survived.compare_exchange_weak(count, count + 1)) return true;
    }
    return false;
  }
};

}  // namespace envpool
