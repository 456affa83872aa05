// Collisions: the TIA's fifteen latches, one for each pair of objects that had a pixel in common.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "atari2600/tia/objects.h"

namespace envpool::atari2600 {

struct CollisionPair {
  Object a;
  Object b;
};

// The pairs in the order of the registers' bits: CXM0P's bits 7 and 6, CXM1P's bits 7 and 6, ...
// CXBLPF has only bit 7.
inline constexpr std::array<CollisionPair, 15> kCollisionPairs = {{{kMissile0, kPlayer1},
                                                                   {kMissile0, kPlayer0},
                                                                   {kMissile1, kPlayer0},
                                                                   {kMissile1, kPlayer1},
                                                                   {kPlayer0, kPlayfield},
                                                                   {kPlayer0, kBall},
                                                                   {kPlayer1, kPlayfield},
                                                                   {kPlayer1, kBall},
                                                                   {kMissile0, kPlayfield},
                                                                   {kMissile0, kBall},
                                                                   {kMissile1, kPlayfield},
                                                                   {kMissile1, kBall},
                                                                   {kBall, kPlayfield},
                                                                   {kPlayer0, kPlayer1},
                                                                   {kMissile0, kMissile1}}};
inline constexpr unsigned kCollisionLatches = (1U << kCollisionPairs.size()) - 1;

// The pairs among each set of objects.
inline constexpr auto kCollisionPairsOf = [] {
  std::array<std::uint16_t, kAllObjects + 1> table = {};
  for (unsigned objects = 0; objects <= kAllObjects; ++objects) {
    unsigned pairs = 0;
    for (std::size_t i = 0; i < kCollisionPairs.size(); ++i) {
      const unsigned both = BitOf(kCollisionPairs[i].a) | BitOf(kCollisionPairs[i].b);
      if ((objects & both) == both) pairs |= 1U << i;
    }
    table[objects] = static_cast<std::uint16_t>(pairs);
  }
  return table;
}();

class Collisions {
 public:
  // Sets the latches of what meets in the pixels from `first` to before `end`. The masks of the
  // objects are up to date.
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
  unsigned Missing(unsigned objects) const { return kCollisionPairsOf[objects] & ~latches_; }

  void LatchPairs(const Objects& objects, std::size_t word, std::uint64_t pixels);

  unsigned latches_ = 0;
};

}  // namespace envpool::atari2600
