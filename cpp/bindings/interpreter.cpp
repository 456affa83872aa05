#include "bindings/interpreter.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>

#include "threads/fork_mark.h"
#include "threads/threads.h"

namespace envpool {

namespace {

std::atomic<bool> is_exiting = false;
int count = 0;  // under the GIL

void CheckNotExiting() {
  if (is_exiting.load()) throw std::runtime_error("the interpreter is exiting");
}

// While the interpreter is torn down, and the process's static objects, threads of ours may still
// run environments that nothing can end. They end with the process, which skips the rest.
[[maybe_unused]] void EndProcessIfThreadsRun(int status, void*) {
  if (RunningThreads() > 0) _exit(status);
}

}  // namespace

Unlocked::Unlocked() {
  CheckNotExiting();
  ++count;
  thread_state_ = PyEval_SaveThread();
}

Unlocked::~Unlocked() {
  PyEval_RestoreThread(thread_state_);
  --count;
}

int Unlocked::Count() { return count; }

void CheckSignals() {
  const pybind11::gil_scoped_acquire gil;
  const ForkMark mark;
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
  if (mark.IsForked()) {
    throw std::runtime_error(
        "a signal handler forked the process during this call, which goes on in the parent only");
  }
}

void CheckInterrupt() {
  CheckNotExiting();
  CheckSignals();
}

void BeginExit() {
  is_exiting.store(true);
#ifdef __GLIBC__
  on_exit(EndProcessIfThreadsRun, nullptr);  // the last to be registered is the first to be called
#endif
}

bool IsExiting() { return is_exiting.load(); }

}  // namespace envpool
