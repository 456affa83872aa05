#include "mujoco/engine.h"

#include <mujoco/mujoco.h>

#include <cstdio>

// Exported by MuJoCo for its Python bindings, which need the same as we do: a handler of the
// calling thread alone. The pinned version has it.
extern "C" mjfLogHandler _mjPRIVATE_setTlsLogHandler(mjfLogHandler handler);

namespace envpool::mujoco::internal {

namespace {

thread_local Call* current = nullptr;

void HandleMessage(const mjLogMessage* message) {
  if (message->level == mjLOG_ERROR) {
    std::snprintf(current->error, sizeof(current->error), "%s", message->subject);
    std::longjmp(current->recover, 1);
  }
  if (message->level == mjLOG_WARNING && current->warning[0] == '\0') {
    std::snprintf(current->warning, sizeof(current->warning), "%s", message->subject);
  }
}

}  // namespace

Call* Enter(Call* call) {
  Call* const outer = current;
  current = call;
  // Whose handler it was before is only known when none of ours is in place.
  static thread_local mjfLogHandler others = nullptr;
  if (outer == nullptr && call != nullptr) others = _mjPRIVATE_setTlsLogHandler(HandleMessage);
  if (outer != nullptr && call == nullptr) _mjPRIVATE_setTlsLogHandler(others);
  return outer;
}

void ThrowErrorOf(const Call& call) {
  const std::string message = std::string("MuJoCo: ") + call.error;
  if (message.find("allocate memory") != std::string::npos) throw OutOfMemory(message);
  throw EngineError(message);
}

}  // namespace envpool::mujoco::internal
