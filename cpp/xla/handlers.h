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

}  // namespace envpool::xla
