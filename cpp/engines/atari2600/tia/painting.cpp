#include "atari2600/tia/painting.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace envpool::atari2600 {

namespace {

constexpr std::uint64_t kEachByte = 0x0101010101010101;
constexpr int kGroup = 8;  // pixels that are painted at once
static_assert(std::endian::native == std::endian::little, "the lowest byte is the left pixel");

// Which pixels of a word have which colour; the others have the background's. No pixel is in two.
struct Planes {
  std::uint64_t player0;
  std::uint64_t player1;
  std::uint64_t playfield;
};

// Whose colour wins, by CTRLPF.
enum class Order { kPlayersFirst, kPlayfieldFirst, kScore };

// ALE: with priority and score both set priority holds, unless there is only a playfield to see.
Order FindOrder(const Objects& objects) {
  const bool has_score = (objects.control & 2) != 0;
  const bool has_priority = (objects.control & 4) != 0;
  if (has_score && (!has_priority || objects.enabled == BitOf(kPlayfield))) return Order::kScore;
  return has_priority ? Order::kPlayfieldFirst : Order::kPlayersFirst;
}

inline Planes FindPlanes(const Objects& objects, Order order, unsigned word) {
  static constexpr std::array<std::uint64_t, 3> kLeftHalf = {~std::uint64_t{0}, 0xffff, 0};
  const auto mask = [&objects, word](Object object) { return objects.masks[object].words[word]; };
  const std::uint64_t sprites0 = mask(kPlayer0) | mask(kMissile0);
  const std::uint64_t sprites1 = mask(kPlayer1) | mask(kMissile1);
  const std::uint64_t playfield = mask(kPlayfield) | mask(kBall);
  switch (order) {
    case Order::kPlayersFirst:
      return {sprites0, sprites1 & ~sprites0, playfield & ~(sprites0 | sprites1)};
    case Order::kPlayfieldFirst:
      return {sprites0 & ~playfield, sprites1 & ~sprites0 & ~playfield, playfield};
    default: break;
  }
  // The halves of the playfield have the players' colours. ALE: in the left half the playfield,
  // which is then like player 0, covers player 1.
  const std::uint64_t left = sprites0 | (mask(kPlayfield) & kLeftHalf[word]);
  const std::uint64_t right = (sprites1 | (mask(kPlayfield) & ~kLeftHalf[word])) & ~left;
  return {left, right, mask(kBall) & ~(left | right)};
}

// Colours of eight pixels at once: the background's, and what turns it into another. `planes` are
// those of a word, of which the lowest eight bits count.
class Brush {
 public:
  explicit Brush(const Colours& colours)
      : background_(colours[kBackgroundColour] * kEachByte),
        playfield_(background_ ^ colours[kPlayfieldColour] * kEachByte),
        player0_(background_ ^ colours[kPlayer0Colour] * kEachByte),
        player1_(background_ ^ colours[kPlayer1Colour] * kEachByte) {}

  std::uint64_t Field(std::uint64_t playfield) const {
    return background_ ^ (kBitsToBytes[playfield & 0xff] & playfield_);
  }

  // To be xor-ed to what Field returned.
  std::uint64_t Sprites(std::uint64_t player0, std::uint64_t player1) const {
    return (kBitsToBytes[player0 & 0xff] & player0_) ^ (kBitsToBytes[player1 & 0xff] & player1_);
  }

 private:
  std::uint64_t background_;
  std::uint64_t playfield_;
  std::uint64_t player0_;
  std::uint64_t player1_;
};

// Paints all of a row but the sprites.
void PaintField(std::uint8_t* row, const std::array<Planes, 3>& planes, const Brush& brush) {
  for (std::size_t word = 0; word < planes.size(); ++word) {
    std::uint64_t bits = planes[word].playfield;
    const std::size_t end = std::min<std::size_t>(64 * word + 64, kWidth);
    for (std::size_t x = 64 * word; x < end; x += kGroup) {
      const std::uint64_t pixels = brush.Field(bits);
      std::memcpy(row + x, &pixels, sizeof(pixels));
      bits >>= kGroup;
    }
  }
}

// Xors the sprites to the groups of a painted word that have any.
void AddSprites(std::uint8_t* row, const Planes& planes, const Brush& brush) {
  std::uint64_t rest = planes.player0 | planes.player1;
  while (rest != 0) {
    const int at = std::countr_zero(rest) / kGroup * kGroup;
    rest &= ~(std::uint64_t{0xff} << at);
    std::uint64_t pixels;
    std::memcpy(&pixels, row + at, sizeof(pixels));
    pixels ^= brush.Sprites(planes.player0 >> at, planes.player1 >> at);
    std::memcpy(row + at, &pixels, sizeof(pixels));
  }
}

// Paints those pixels of a group that are from `first` to before `end`.
void PaintGroup(std::uint8_t* group, std::uint64_t pixels, int first, int end) {
  if (first > 0 || end < kGroup) {
    const unsigned range =
        (first > 0 ? 0xffU << first : 0xffU) & (end < 8 ? 0xffU >> (8 - end) : 0xffU);
    const std::uint64_t changed = kBitsToBytes[range & 0xff];
    std::uint64_t old;
    std::memcpy(&old, group, sizeof(old));
    pixels = (pixels & changed) | (old & ~changed);
  }
  std::memcpy(group, &pixels, sizeof(pixels));
}

}  // namespace

void PaintLine(std::uint8_t* row, const Objects& objects, const Colours& colours) {
  if (objects.enabled == 0) {
    std::memset(row, colours[kBackgroundColour], kWidth);
    return;
  }
  const Order order = FindOrder(objects);
  const std::array<Planes, 3> planes = {
      FindPlanes(objects, order, 0), FindPlanes(objects, order, 1), FindPlanes(objects, order, 2)};
  const Brush brush(colours);
  if ((planes[0].playfield | planes[1].playfield | planes[2].playfield) == 0) {
    std::memset(row, colours[kBackgroundColour], kWidth);
  } else {
    PaintField(row, planes, brush);
  }
  for (std::size_t word = 0; word < planes.size(); ++word) {
    AddSprites(row + 64 * word, planes[word], brush);
  }
}

void PaintPart(std::uint8_t* row, const Objects& objects, const Colours& colours, int first,
               int end) {
  const Order order = FindOrder(objects);
  const Brush brush(colours);
  for (int word = first / 64; word <= (end - 1) / 64; ++word) {
    const Planes planes = FindPlanes(objects, order, static_cast<unsigned>(word));
    const bool has_sprites = (planes.player0 | planes.player1) != 0;
    std::uint8_t* pixels = row + 64 * word;
    const int from = std::max(first - 64 * word, 0);
    const int to = std::min(end - 64 * word, 64);
    for (int at = from / kGroup * kGroup; at < to; at += kGroup) {
      std::uint64_t group = brush.Field(planes.playfield >> at);
      if (has_sprites) group ^= brush.Sprites(planes.player0 >> at, planes.player1 >> at);
      PaintGroup(pixels + at, group, from - at, to - at);
    }
  }
}

}  // namespace envpool::atari2600
