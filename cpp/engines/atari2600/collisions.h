// Collisions: the TIA's fifteen latches, one for each pair of objects that had a pixel in common.
#pragma once

#include <cstdint>

#include "atari2600/objects.h"

namespace envpool::atari2600 {

class Collisions {
 public:
  // Sets the latches of what meets in the pixels from `first` to before `end`. The masks of the
  // objects are up to date if MayFindMore.
  void Look(const Objects& objects, int first, int end);

  // True if the enabled objects have a pair whose latch is not set yet.
  bool MayFindMore(unsigned enabled) const { return Missing(enabled) != 0; }

  // Returns bits 7 and 6 of the register 0..7 (CXM0P..CXPPMM).
  std::uint8_t Read(unsigned reg) const;

  bool AreAny() const { return latches_ != 0; }
  void Clear() { latches_ = 0; }

  void Serialize(Archive& archive);

 private:
  // Returns the latches of the pairs of these objects that are not set yet.
  unsigned Missing(unsigned objects) const;

  unsigned latches_ = 0;
};

}  // namespace envpool::atari2600
