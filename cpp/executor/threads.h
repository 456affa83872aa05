// Threads: how the executor starts all of its threads.
//
// So that the process's end can ask for them, and so that they can throw when memory is short. A
// thread's first exception takes a few bytes for what the runtime remembers of each thread, and the
// C library ends the process if there are none. But the first exception may be std::bad_alloc.
#pragma once

#include <functional>
#include <thread>

namespace envpool {

// Takes these bytes for the calling thread.
void ReserveForExceptions();

// Starts a thread that has them. Throws std::bad_alloc or std::system_error if it cannot be
// started.
std::thread StartThread(std::function<void()> body);

// How many of them have not ended, in this process.
int RunningThreads();

}  // namespace envpool
