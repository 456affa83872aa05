// Pixels in other orders and sizes.
#pragma once

#include <cstdint>
#include <span>

namespace envpool::procgen {

// Makes rows of pixels of red, green and blue a plane of each.
void ToPlanes(std::span<const std::uint8_t> pixels, std::span<std::uint8_t> planes);

// Makes each pixel of a square picture a square of them, as large as `large` has room for.
void Enlarge(std::span<const std::uint8_t> small, std::span<std::uint8_t> large);

}  // namespace envpool::procgen
