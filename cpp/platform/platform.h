// What Linux and macOS do differently: each function is in linux.cpp and in macos.cpp, one of which
// is compiled.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace envpool {

// Threads of several processes sleep on a word in memory that they share.

// Sleeps while the word has this value, until the time is over, or until somebody wakes one of
// these groups, which are bits. May return for no reason.
void SleepOn(std::uint32_t* word, std::uint32_t value, std::uint32_t groups,
             std::chrono::nanoseconds duration);

// Wakes who sleeps on the word for one of these groups, and perhaps others.
void WakeSleepers(std::uint32_t* word, std::uint32_t groups);

// Opens a file without a name, which children do not inherit and which is gone when nobody has it
// open or mapped any more. `name` is only what the system's lists show. Returns a negative number,
// and sets errno, if that fails.
int OpenAnonymousFile(const char* name);

// Sees to it that nobody can change the file's size from now on, where the system can do that.
// Returns false, and sets errno, if that fails.
bool FixSize(int descriptor);

// The calling thread runs on this core alone from now on, counted from 0 again after the last one;
// where it may if the system does not offer that.
void PinThisThread(std::size_t core);

// A process ends with another one, which has the other end of a pipe. Both functions do nothing
// where the system cannot do that.

// Has the system kill this process when the other end is closed, even if all threads are stopped.
void KillAtHangUp(int descriptor);

// Gives this thread open files of its own, and of these only one: what the other threads close or
// open in its place is not this thread's.
void KeepOnly(unsigned descriptor);

}  // namespace envpool
