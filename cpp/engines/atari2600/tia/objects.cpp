#include "atari2600/tia/objects.h"

#include <bit>
#include <cstddef>

namespace envpool::atari2600 {

namespace {

// How NUSIZ's low three bits arrange a player or a missile.
struct Layout {
  std::array<int, 2> more_copies;  // their distances from the first; 0: there is none
  int width;                       // of a player
};

constexpr std::array<Layout, 8> kLayouts = {{{{0, 0}, 8},
                                             {{16, 0}, 8},
                                             {{32, 0}, 8},
                                             {{16, 32}, 8},
                                             {{64, 0}, 8},
                                             {{0, 0}, 16},
                                             {{32, 64}, 8},
                                             {{0, 0}, 32}}};

constexpr const Layout& LayoutOf(std::uint8_t size) { return kLayouts[size & 7]; }

constexpr Landing ComputeLanding(const Layout& layout, int distance) {
  Landing landing = Landing::kElsewhere;
  for (const int copy : {0, layout.more_copies[0], layout.more_copies[1]}) {
    const int into_copy = (distance - copy + kWidth) % kWidth;
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

void AddMoreCopies(LineMask& mask, const Layout& layout, std::uint64_t pixels, int place) {
  if (layout.more_copies[0] == 0) return;
  mask.Add(pixels, place + layout.more_copies[0]);
  if (layout.more_copies[1] != 0) mask.Add(pixels, place + layout.more_copies[1]);
}

}  // namespace

Landing FindLanding(unsigned size, int distance) {
  return kLandings[size & 7][static_cast<std::size_t>(distance)];
}

void Objects::MakeMasks() {
  for (unsigned rest = stale; rest != 0; rest &= rest - 1) {
    const auto object = static_cast<unsigned>(std::countr_zero(rest));
    masks[object] = {};
    if ((enabled & BitOf(object)) == 0) continue;
    switch (object) {
      case kPlayer0:
      case kPlayer1: AddPlayer(object - kPlayer0); break;
      case kMissile0:
      case kMissile1: AddMissile(object - kMissile0); break;
      case kBall: AddBall(); break;
      default: AddPlayfield();
    }
  }
  stale = 0;
}

void Objects::AddPlayer(unsigned player) {
  LineMask& mask = masks[kPlayer0 + player];
  const Layout& layout = LayoutOf(size[player]);
  const int place = position[kPlayer0 + player];
  const std::uint8_t pixels = shape[player];
  if (!first_copy_is_hidden[player]) {
    switch (layout.width) {  // wide players begin one pixel later
      case 16: mask.Add(kBitsTwice[pixels], place + 1); break;
      case 32: mask.Add(kBitsFourTimes[pixels], place + 1); break;
      default: mask.Add(pixels, place);
    }
  }
  AddMoreCopies(mask, layout, pixels, place);
  mask.WrapAround();
}

void Objects::AddMissile(unsigned missile) {
  unsigned width_code = size[missile] >> 4U;
  if (missile == 0) {
    if (star == Star::kHidden) return;
    if (star == Star::kAtLeastTwoWide) width_code |= 1;
  }
  LineMask& mask = masks[kMissile0 + missile];
  const int place = position[kMissile0 + missile];
  mask.Add(Stripe(width_code), place);
  AddMoreCopies(mask, LayoutOf(size[missile]), Stripe(width_code), place);
  mask.WrapAround();
}

void Objects::AddBall() {
  masks[kBall].Add(Stripe(control >> 4U), position[kBall]);
  masks[kBall].WrapAround();
}

// Each bit of the playfield is four pixels wide. A half of the line has the four bits of PF0 from
// the lowest, PF1 from the highest, PF2 from the lowest.
void Objects::AddPlayfield() {
  std::array<std::uint64_t, 4>& words = masks[kPlayfield].words;
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
  stale = kAllObjects;
}

}  // namespace envpool::atari2600
