// Engine: calls of MuJoCo whose errors become exceptions.
//
// MuJoCo reports an error by calling a handler that must not return, and by default ends the
// process; its warnings go to a file in the working directory. RunEngine puts a handler of ours in
// place for the calling thread alone, so that others who use MuJoCo in this process keep theirs.
#pragma once

#include <csetjmp>
#include <new>
#include <stdexcept>
#include <string>

namespace envpool::mujoco {

// MuJoCo called its error handler.
struct EngineError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// MuJoCo found no memory.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(const std::string& message) : message_(message) {}
  const char* what() const noexcept override { return message_.what(); }

 private:
  std::runtime_error message_;  // whose copies don't throw
};

namespace internal {

// The messages of one RunEngine, and where to go on after an error.
struct Call {
  std::jmp_buf recover;
  char error[1024] = "";
  char warning[1024] = "";  // the first one
};

// Makes `call` the one that MuJoCo's messages on this thread belong to; null for none. Returns
// whichever it was before.
Call* Enter(Call* call);

[[noreturn]] void ThrowErrorOf(const Call& call);

}  // namespace internal

// Runs `body`, which calls MuJoCo. Throws EngineError, or OutOfMemory, if that finds an error;
// `body` is left on the spot then, so it must not own anything. Returns what MuJoCo has warned of,
// or nothing.
template <class Body>
std::string RunEngine(const Body& body) {
  internal::Call call;
  internal::Call* const outer = internal::Enter(&call);
  if (setjmp(call.recover) == 0) {
    body();
    internal::Enter(outer);
  } else {
    internal::Enter(outer);
    internal::ThrowErrorOf(call);
  }
  return call.warning[0] == '\0' ? std::string() : std::string("MuJoCo: ") + call.warning;
}

}  // namespace envpool::mujoco
