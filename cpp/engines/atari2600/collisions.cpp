#include "atari2600/collisions.h"

#include <array>
#include <bit>
#include <cstddef>

namespace envpool::atari2600 {

namespace {

struct Pair {
  Object a;
  Object b;
};

// The pairs in the order of the registers' bits: CXM0P's bits 7 and 6, CXM1P's bits 7 and 6, ...
// CXBLPF has only bit 7.
constexpr std::array<Pair, 15> kPairs = {{{kMissile0, kPlayer1},
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
constexpr unsigned kLatches = (1U << kPairs.size()) - 1;

// The pairs among each set of objects.
constexpr auto kPairsOf = [] {
  std::array<std::uint16_t, kAllObjects + 1> table = {};
  for (unsigned objects = 0; objects <= kAllObjects; ++objects) {
    unsigned pairs = 0;
    for (std::size_t i = 0; i < kPairs.size(); ++i) {
      const unsigned both = BitOf(kPairs[i].a) | BitOf(kPairs[i].b);
      if ((objects & both) == both) pairs |= 1U << i;
    }
    table[objects] = static_cast<std::uint16_t>(pairs);
  }
  return table;
}();

// True if any two of the objects have a pixel of the range in common.
bool AnyMeet(const Objects& objects, const LineMask& range) {
  std::uint64_t meeting = 0;
  std::array<std::uint64_t, 3> taken = {};
  for (unsigned rest = objects.enabled; rest != 0; rest &= rest - 1) {
    const auto& mask = objects.masks[static_cast<unsigned>(std::countr_zero(rest))].words;
    for (unsigned k = 0; k < taken.size(); ++k) {
      meeting |= taken[k] & mask[k] & range.words[k];
      taken[k] |= mask[k];
    }
  }
  return meeting != 0;
}

}  // namespace

unsigned Collisions::Missing(unsigned objects) const { return kPairsOf[objects] & ~latches_; }

void Collisions::Look(const Objects& objects, int first, int end) {
  const unsigned missing = Missing(objects.enabled);
  if (missing == 0) return;
  const LineMask range = LineMask::Range(first, end);
  if (!AnyMeet(objects, range)) return;
  for (unsigned rest = missing; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(rest));
    if (Meet(objects.masks[kPairs[i].a], objects.masks[kPairs[i].b], range)) latches_ |= 1U << i;
  }
}

std::uint8_t Collisions::Read(unsigned reg) const {
  const auto bit = [this](unsigned latch, unsigned value) {
    return (latches_ >> latch & 1) != 0 ? value : 0;
  };
  switch (reg & 7) {
    case 6: return static_cast<std::uint8_t>(bit(12, 0x80));
    case 7: return static_cast<std::uint8_t>(bit(13, 0x80) | bit(14, 0x40));
    default: return static_cast<std::uint8_t>(bit(2 * reg, 0x80) | bit(2 * reg + 1, 0x40));
  }
}

void Collisions::Serialize(Archive& archive) { archive.Range(latches_, 0, kLatches); }

}  // namespace envpool::atari2600
