// How much memory moves between cores at a time. What one thread writes often and others read lies
// on lines of its own.
#pragma once

#include <cstddef>

namespace envpool {

inline constexpr std::size_t kCacheLine = 64;

}  // namespace envpool
