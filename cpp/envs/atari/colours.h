// Colours: turns a picture's indices of the palette into planes of grey, or of red, green and blue.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "atari/palette.h"

namespace envpool::atari {

class Colours {
 public:
  Colours(const Palette& palette, bool is_grey);

  std::size_t NumPlanes() const { return tables_.size(); }

  // values[i] = the plane's value of pixel indices[i].
  void LookUp(std::size_t plane, const std::uint8_t* indices, std::size_t size,
              std::uint8_t* values) const;

 private:
  struct Table {
    std::array<std::uint8_t, 256> all = {};
    // The console's 128 colours. Others are rare: television sets lost colours in bad pictures.
    std::array<std::uint8_t, 128> even = {};
  };

  std::vector<Table> tables_;  // one per plane
};

}  // namespace envpool::atari
