// What the executor asks of the machine that it runs on.
#pragma once

#include <chrono>
#include <cstddef>

namespace envpool {

// The clock that everything in the executor goes by.
using Clock = std::chrono::steady_clock;
using Duration = std::chrono::nanoseconds;

// How much memory moves between cores at a time. What one thread writes often and others read lies
// on lines of its own.
inline constexpr std::size_t kCacheLine = 64;

// The least multiple of `unit` that is no less than `bytes`.
constexpr std::size_t RoundUp(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// Tells the processor that this is a spinning loop.
inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace envpool
