// ForkLocal: an object that all threads of a process share, and that a forked child has anew.
//
// ForkLocal is for caches and whatever else is behind a lock: in a child, a lock that another
// thread of the parent held at the moment of the fork is held for ever, and what it guards may be
// half changed. The child leaves the parent's object as it is, and begins with an empty one.
#pragma once

#include <unistd.h>

#include <atomic>
#include <memory>

namespace envpool {

template <class T>
class ForkLocal {
 public:
  constexpr ForkLocal() = default;
  ForkLocal(const ForkLocal&) = delete;
  ForkLocal& operator=(const ForkLocal&) = delete;

  // Returns the process's own object, which the first call makes and nobody destroys: threads may
  // still be at work while the process ends. Each call is a system call, so this is not for every
  // step.
  T& Get() {
    const pid_t process = getpid();
    Owned* current = current_.load();
    if (current != nullptr && current->process == process) return current->value;
    auto made = std::make_unique<Owned>();
    made->process = process;
    // Another thread that came first has made one, too.
    if (current_.compare_exchange_strong(current, made.get())) current = made.release();
    return current->value;
  }

 private:
  struct Owned {
    pid_t process = 0;
    T value{};
  };

  std::atomic<Owned*> current_ = nullptr;
};

}  // namespace envpool
