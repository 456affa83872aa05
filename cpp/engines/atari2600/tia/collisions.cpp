#include "atari2600/tia/collisions.h"

#include <bit>

namespace envpool::atari2600 {

namespace {

// True if any two of the objects have a pixel of the range in common.
bool AnyMeet(const Objects& objects, const LineMask& range) {
  std::uint64_t common = 0;
  LineMask taken;
  for (unsigned rest = objects.enabled; rest != 0; rest &= rest - 1) {
    const LineMask& mask = objects.masks[static_cast<unsigned>(std::countr_zero(rest))];
    common |= Common(taken, mask, range);
    taken.Add(mask);
  }
  return common != 0;
}

}  // namespace

void Collisions::Look(const Objects& objects, int first, int end) {
  const LineMask range = LineMask::Range(first, end);
  if (!AnyMeet(objects, range)) return;
  for (unsigned rest = Missing(objects.enabled); rest != 0; rest &= rest - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(rest));
    const auto [a, b] = kCollisionPairs[i];
    if (Common(objects.masks[a], objects.masks[b], range) != 0) latches_ |= 1U << i;
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

void Collisions::Serialize(Archive& archive) { archive.Range(latches_, 0, kCollisionLatches); }

}  // namespace envpool::atari2600
