// TransferPacked: transfers bytes of pictures, of which most are what one would expect, in fewer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "envpool/archive.h"

namespace envpool::atari2600 {

// Transfers the bytes from `begin` on. Each is expected to be as that `distance` before it, which
// may be before `begin` and is then there already; without such a byte, to be 0.
void TransferPacked(Archive& archive, std::span<std::uint8_t> bytes, std::size_t begin,
                    std::size_t distance);

}  // namespace envpool::atari2600
