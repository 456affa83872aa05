#include "platform/process_end.h"

namespace envpool {

// O_ASYNC could only send SIGIO, which a stopped process does not get.
void KillAtHangUp(int) {}

void KeepOnly(unsigned) {}

}  // namespace envpool
