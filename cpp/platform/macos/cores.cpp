#include "platform/cores.h"

namespace envpool {

void PinThisThread(std::size_t) {}

}  // namespace envpool
