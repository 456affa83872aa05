// Lets threads of several processes sleep on a word in memory that they share.
#pragma once

#include <chrono>
#include <cstdint>

namespace envpool {

// Sleeps while the word has this value, until the time is over, or until somebody wakes one of
// these groups, which are bits. May return for no reason.
void SleepOn(std::uint32_t* word, std::uint32_t value, std::uint32_t groups,
             std::chrono::nanoseconds duration);

// Wakes who sleeps on the word for one of these groups, and perhaps others.
void WakeSleepers(std::uint32_t* word, std::uint32_t groups);

}  // namespace envpool
