// KeptPlane: a plane of a picture in little memory, because a row that is like the one above takes
// none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "envpool/archive.h"
#include "resize/resize.h"

namespace envpool::atari {

class KeptPlane {
 public:
  // All rows are black.
  explicit KeptPlane(PlaneSize size);

  const std::uint8_t* Row(std::size_t row) const { return rows_.data() + places_[row]; }

  // True if the row is kept as the one above.
  bool Repeats(std::size_t row) const { return row > 0 && places_[row] == places_[row - 1]; }

  // Keeps another plane, whose rows follow each other.
  void Keep(const std::uint8_t* plane);

  void Serialize(Archive& archive);

 private:
  PlaneSize size_;
  std::vector<std::uint8_t> rows_;
  std::vector<std::uint32_t> places_;  // where in rows_ each row begins
};

}  // namespace envpool::atari
