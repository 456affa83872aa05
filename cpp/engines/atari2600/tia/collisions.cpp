#include "atari2600/tia/collisions.h"

#include <bit>

namespace envpool::atari2600 {

namespace {

// Returns the pixels of a word that two or more of the objects have.
std::uint64_t Shared(const Objects& objects, std::size_t word) {
  std::uint64_t taken = 0;
  std::uint64_t shared = 0;
  for (const LineMask& mask : objects.masks) {
    shared |= taken & mask.words[word];
    taken |= mask.words[word];
  }
  return shared;
}

}  // namespace

// Mostly there is nothing to find, and only a part of a line to look at.
void Collisions::Look(const Objects& objects, int first, int end) {
  const auto first_word = static_cast<std::size_t>(first) / 64;
  const auto last_word = static_cast<std::size_t>(end - 1) / 64;
  for (std::size_t word = first_word; word <= last_word; ++word) {
    std::uint64_t shared = Shared(objects, word);
    if (word == first_word) shared &= ~std::uint64_t{0} << first % 64;
    if (word == last_word) shared &= ~std::uint64_t{0} >> (63 - (end - 1) % 64);
    if (shared != 0) LatchPairs(objects, word, shared);
  }
}

void Collisions::LatchPairs(const Objects& objects, std::size_t word, std::uint64_t pixels) {
  for (unsigned rest = Missing(objects.enabled); rest != 0; rest &= rest - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(rest));
    const auto [a, b] = kCollisionPairs[i];
    if ((objects.masks[a].words[word] & objects.masks[b].words[word] & pixels) != 0) {
      latches_ |= 1U << i;
    }
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
