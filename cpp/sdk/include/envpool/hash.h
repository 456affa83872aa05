// HashOfBytes: a number that stands for bytes, the same on all machines. Finds accidents, not
// forgeries.
#pragma once

#include <cstdint>
#include <string_view>

namespace envpool {

inline constexpr std::uint64_t kHashOfNothing = 0xcbf29ce484222325;

// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo), 64 bits. `before` is the hash of what precedes the
// bytes.
constexpr std::uint64_t HashOfBytes(std::string_view bytes, std::uint64_t before = kHashOfNothing) {
  std::uint64_t hash = before;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

}  // namespace envpool
