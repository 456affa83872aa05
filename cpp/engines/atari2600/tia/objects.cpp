#include "atari2600/tia/objects.h"

#include <bit>
#include <cstddef>

namespace envpool::atari2600 {

namespace {

// How NUSIZ's low three bits arrange a player or a missile.
struct Layout {
  std::array<unsigned, 2> more_copies;  // their distances from the first; 0: there is none
  int width;                            // of a player
};

constexpr std::array<Layout, 8> kLayouts = {{{{0, 0}, 8},
                                             {{16, 0}, 8},
                                             {{32, 0}, 8},
                                             {{16, 32}, 8},
                                             {{64, 0}, 8},
                                             {{0, 0}, 16},
                                             {{32, 64}, 8},
                                             {{0, 0}, 32}}};

// The first pixels of all copies of each layout. Up to eight pixels times these are all copies.
constexpr auto kCopies = [] {
  std::array<Pattern, kLayouts.size()> table = {};
  for (std::size_t mode = 0; mode < kLayouts.size(); ++mode) {
    table[mode].low = 1;
    for (const unsigned place : kLayouts[mode].more_copies) {
      (place < 64 ? table[mode].low : table[mode].high) |= std::uint64_t{1} << place % 64;
    }
  }
  return table;
}();

constexpr const Layout& LayoutOf(std::uint8_t size) { return kLayouts[size & 7]; }

constexpr Landing ComputeLanding(const Layout& layout, int distance) {
  Landing landing = Landing::kElsewhere;
  for (const unsigned copy : {0U, layout.more_copies[0], layout.more_copies[1]}) {
    const int into_copy = (distance - static_cast<int>(copy) + kWidth) % kWidth;
    if (into_copy < 4) {
      landing = Landing::kJustBeforeACopy;
    } else if (into_copy < 4 + layout.width) {
      landing = Landing::kInACopy;
    }
  }
  return landing;
}

constexpr auto kLandings = [] {
  std::array<std::array<Landing, kWidth>, kLayouts.size()> table = {};
  for (std::size_t mode = 0; mode < kLayouts.size(); ++mode) {
    for (std::size_t distance = 0; distance < kWidth; ++distance) {
      table[mode][distance] = ComputeLanding(kLayouts[mode], static_cast<int>(distance));
    }
  }
  return table;
}();

// Returns the pixels of a missile or the ball, whose width two bits of a register tell.
constexpr std::uint64_t Stripe(unsigned width_code) { return LowBits(1 << (width_code & 3)); }

}  // namespace

Landing FindLanding(unsigned size, int distance) {
  return kLandings[size & 7][static_cast<std::size_t>(distance)];
}

void Objects::MakeMasks() {
  for (unsigned rest = stale; rest != 0; rest &= rest - 1) {
    const auto object = static_cast<unsigned>(std::countr_zero(rest));
    const bool is_enabled = (enabled & BitOf(object)) != 0;
    if (object == kPlayfield) {
      MakePlayfield();
    } else {
      masks[object] =
          is_enabled ? LineMask::Place(FindPattern(object), position[object]) : LineMask();
    }
  }
  stale = 0;
}

Pattern Objects::FindPattern(unsigned object) const {
  switch (object) {
    case kPlayer0:
    case kPlayer1: return PlayerPattern(object - kPlayer0);
    case kMissile0:
    case kMissile1: return MissilePattern(object - kMissile0);
    default: return {.low = Stripe(control >> 4U)};
  }
}

Pattern Objects::PlayerPattern(unsigned player) const {
  const std::uint8_t pixels = shape[player];
  const Pattern& copies = kCopies[size[player] & 7];
  const std::uint64_t first = first_copy_is_hidden[player] ? 0 : 1;
  switch (LayoutOf(size[player]).width) {  // wide players begin one pixel later
    case 16: return {.low = first * kBitsTwice[pixels] << 1};
    case 32: return {.low = first * kBitsFourTimes[pixels] << 1};
    default: return {.low = pixels * (copies.low - 1 + first), .high = pixels * copies.high};
  }
}

Pattern Objects::MissilePattern(unsigned missile) const {
  unsigned width_code = size[missile] >> 4U;
  if (missile == 0) {
    if (star == Star::kHidden) return {};
    if (star == Star::kAtLeastTwoWide) width_code |= 1;
  }
  const Pattern& copies = kCopies[size[missile] & 7];
  return {.low = Stripe(width_code) * copies.low, .high = Stripe(width_code) * copies.high};
}

// Each bit of the playfield is four pixels wide. A half of the line has the four bits of PF0 from
// the lowest, PF1 from the highest, PF2 from the lowest.
void Objects::MakePlayfield() {
  std::array<std::uint64_t, 3>& words = masks[kPlayfield].words;
  const std::uint64_t part0 = kBitsFourTimes[playfield[0]];
  const std::uint64_t part1 = kBitsFourTimes[kReversed[playfield[1]]];
  const std::uint64_t part2 = kBitsFourTimes[playfield[2]];
  words[0] = part0 | part1 << 16 | part2 << 48;
  words[1] = part2 >> 16;
  if (!playfield_is_mirrored) {
    words[1] |= part0 << 16 | part1 << 32;
    words[2] = part2;
    return;
  }
  const std::uint64_t mirrored2 = kBitsFourTimes[kReversed[playfield[2]]];
  const std::uint64_t mirrored1 = kBitsFourTimes[playfield[1]];
  const std::uint64_t mirrored0 = kBitsFourTimes[kReversed[playfield[0]]] >> 16;
  words[1] |= mirrored2 << 16 | mirrored1 << 48;
  words[2] = mirrored1 >> 16 | mirrored0 << 16;
}

void Objects::Move(unsigned object, int pixels) {
  int place = position[object] + pixels;
  if (place >= kWidth) place -= kWidth;
  if (place < 0) place += kWidth;
  position[object] = place;
}

void Objects::CentreMissile(unsigned missile) {
  position[kMissile0 + missile] = position[kPlayer0 + missile];
  Move(kMissile0 + missile, LayoutOf(size[missile]).width / 2);
}

void Objects::Serialize(Archive& archive) {
  archive.Any(size, graphics, old_graphics, control, playfield[1], playfield[2]);
  archive(is_mirrored, is_delayed, missile_is_on, missile_is_locked);
  archive(ball_is_on, old_ball_is_on, ball_is_delayed);
  archive.Index(playfield[0], 16);
  archive.Index(motion, 16);
  archive.Index(position, kWidth);
  archive(first_copy_is_hidden, playfield_is_mirrored);
  archive.Range(star, Star::kOrdinary, Star::kHidden);
  if (!archive.IsReader()) return;
  shape = {FindShape(0), FindShape(1)};
  ball_is_shown = FindBall();
  for (unsigned player = 0; player < 2; ++player) {
    FindEnabledPlayer(player);
    FindEnabledMissile(player);
  }
  FindEnabledBall();
  FindEnabledPlayfield();
  stale = kAllObjects;
}

}  // namespace envpool::atari2600
