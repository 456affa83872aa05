// PackedPicture: writes a picture in few bytes, for snapshots.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace envpool::atari2600 {

// Returns the rows of kWidth pixels as runs. A row that is like the one above takes one byte.
std::vector<std::uint8_t> PackPicture(std::span<const std::uint8_t> picture);

// Reverses PackPicture. Throws std::invalid_argument if the bytes are not of a picture of this
// size.
void UnpackPicture(std::span<const std::uint8_t> packed, std::span<std::uint8_t> picture);

}  // namespace envpool::atari2600
