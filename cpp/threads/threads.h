// Threads: how the executor starts all of its threads, so that the process's end can ask for them.
//
// A thread's first exception takes a few bytes for what the runtime remembers of each thread, and
// the C library ends the process if there are none. So threads take these bytes when they begin.
#pragma once

#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include "threads/gate.h"

namespace envpool {

// Takes these bytes for the calling thread.
void ReserveForExceptions();

// Starts a thread that has them. Throws std::bad_alloc or std::system_error if it cannot be
// started.
std::thread StartThread(std::function<void()> body);

// Fills `threads` up to `count` with those that run `body` with their index. They enter
// `attendance` and leave it when they end. Throws std::runtime_error if only some can be started.
void StartThreads(std::vector<std::thread>& threads, std::size_t count, Attendance& attendance,
                  const std::function<void(std::size_t)>& body);

// How many of them have not ended, in this process.
int RunningThreads();

}  // namespace envpool
