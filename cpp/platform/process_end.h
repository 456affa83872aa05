// What helps a process to end with another one, which has the other end of a pipe. Both functions
// do nothing where the system cannot do that.
#pragma once

namespace envpool {

// Has the system kill this process when the other end is closed, even if all threads are stopped.
void KillAtHangUp(int descriptor);

// Gives this thread open files of its own, and of these only one: what the other threads close or
// open in its place is not this thread's.
void KeepOnly(unsigned descriptor);

}  // namespace envpool
