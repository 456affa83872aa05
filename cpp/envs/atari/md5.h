// Md5: the digest of RFC 1321, which ROMs are known by.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace envpool::atari {

// Returns the digest in hexadecimal.
std::string Md5Of(std::span<const std::uint8_t> bytes);

}  // namespace envpool::atari
