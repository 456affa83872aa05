// Handlers: the functions that XLA calls. Each serves all pools; the attribute "pool" says which.
//
// The first argument is the handle: the bytes of the same number. It is also the first result, so
// that programs which pass it on say with it in which order their calls come.
#pragma once

#include "xla/abi.h"

namespace envpool::xla {

Error* HandleStep(CallFrame* frame);
Error* HandleSend(CallFrame* frame);
Error* HandleReceive(CallFrame* frame);
Error* HandleReset(CallFrame* frame);

// The same for programs on a GPU of NVIDIA's, whose arrays are in its memory. They return before
// results have arrived there, which later work of the same program waits for. As HandleReceiveOnGpu
// does not wait for the GPU at all, it does not look at the handle.
Error* HandleStepOnGpu(CallFrame* frame);
Error* HandleSendOnGpu(CallFrame* frame);
Error* HandleReceiveOnGpu(CallFrame* frame);
Error* HandleResetOnGpu(CallFrame* frame);

}  // namespace envpool::xla
