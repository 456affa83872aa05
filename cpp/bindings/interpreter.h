// Python's interpreter around calls that may take long: its lock, its signals and its end.
#pragma once

#include <pybind11/pybind11.h>

namespace envpool {

// Releases the GIL as long as it lives, in a call that may take long. Throws std::runtime_error
// once the interpreter is about to exit.
class Unlocked {
 public:
  Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked();

  // How many there are. A thread that still has one when the interpreter exits would be torn down
  // in the middle of its call.
  static int Count();

 private:
  PyThreadState* thread_state_;
};

// What `function` returns, called without the GIL.
template <class Function>
auto WithoutGil(Function function) {
  const Unlocked unlocked;
  return function();
}

// Both are Interrupts (threads/interrupt.h): they let Ctrl-C end a wait, which needs no GIL, and
// end it in the child of a signal handler that forks. The second ends it, too, when the interpreter
// is about to exit.
void CheckSignals();
void CheckInterrupt();

// From now on, calls end and are refused.
void BeginExit();
bool IsExiting();

}  // namespace envpool
