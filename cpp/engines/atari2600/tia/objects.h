// Objects: what the TIA draws over the background - players, missiles, ball and playfield - with
// all that the program wrote about them, and the pixels that they take of a line.
#pragma once

#include <array>
#include <cstdint>

#include "atari2600/tia/bit_tables.h"
#include "atari2600/tia/line_mask.h"
#include "envpool/archive.h"

namespace envpool::atari2600 {

enum Object : unsigned { kPlayer0, kPlayer1, kMissile0, kMissile1, kBall, kPlayfield };
inline constexpr unsigned kMovableObjects = 5;
inline constexpr unsigned kObjects = 6;

// Returns the object's bit in a set of objects.
constexpr unsigned BitOf(unsigned object) { return 1U << object; }
inline constexpr unsigned kAllObjects = BitOf(kObjects) - 1;

// ALE: missile 0 is drawn in unusual ways while it makes the stars of Cosmic Ark.
enum class Star : std::uint8_t { kOrdinary, kAtLeastTwoWide, kHidden };

// Where RESP puts a player, seen from the copies of where it was.
enum class Landing : std::uint8_t { kElsewhere, kJustBeforeACopy, kInACopy };

// Returns where a player of the size (NUSIZ) lands that moves 0 <= `distance` < 160 to the right.
Landing FindLanding(unsigned size, int distance);

struct Objects {
  void Reset() { *this = Objects(); }

  // Returns the graphics that a player shows, the left pixel in bit 0.
  std::uint8_t FindShape(unsigned player) const {
    const std::uint8_t byte = is_delayed[player] ? old_graphics[player] : graphics[player];
    return is_mirrored[player] ? byte : kReversed[byte];
  }

  bool FindBall() const { return ball_is_delayed ? old_ball_is_on : ball_is_on; }

  // Bring `enabled` up to date.
  void FindEnabledPlayer(unsigned player) { Enable(kPlayer0 + player, shape[player] != 0); }
  void FindEnabledMissile(unsigned missile) {
    Enable(kMissile0 + missile, missile_is_on[missile] && !missile_is_locked[missile]);
  }
  void FindEnabledBall() { Enable(kBall, ball_is_shown); }
  void FindEnabledPlayfield() {
    Enable(kPlayfield, (playfield[0] | playfield[1] | playfield[2]) != 0);
  }

  // Brings the masks up to date; `enabled` is.
  void MakeMasks();

  // Moves an object by less than a line.
  void Move(unsigned object, int pixels);

  // Puts a missile where its player's middle is. ALE: half of the player's width to the right.
  void CentreMissile(unsigned missile);

  void Serialize(Archive& archive);

  // What was written, by player or missile 0 and 1.
  std::array<std::uint8_t, 2> size = {};                  // NUSIZ: copies and widths
  std::array<std::uint8_t, 2> graphics = {};              // GRP
  std::array<std::uint8_t, 2> old_graphics = {};          // GRP when the other player's was written
  std::array<bool, 2> is_mirrored = {};                   // REFP
  std::array<bool, 2> is_delayed = {};                    // VDELP: shows the old graphics
  std::array<bool, 2> missile_is_on = {};                 // ENAM
  std::array<bool, 2> missile_is_locked = {};             // RESMP: goes with its player, unseen
  bool ball_is_on = false;                                // ENABL
  bool old_ball_is_on = false;                            // ENABL when GRP1 was written
  bool ball_is_delayed = false;                           // VDELBL
  std::uint8_t control = 0;                               // CTRLPF
  std::array<std::uint8_t, 3> playfield = {};             // PF, that of PF0 in the low four bits
  std::array<std::uint8_t, kMovableObjects> motion = {};  // HM, four bits each

  // What became of it.
  std::array<int, kMovableObjects> position = {};  // 0..159
  std::array<bool, 2> first_copy_is_hidden = {};   // by RESP
  bool playfield_is_mirrored = false;              // CTRLPF's bit 0, when it has taken effect
  Star star = Star::kOrdinary;

  // What follows from it: what players and ball show, the objects that can be seen at all, those
  // whose mask is out of date, and the masks.
  std::array<std::uint8_t, 2> shape = {};
  bool ball_is_shown = false;
  unsigned enabled = 0;
  unsigned stale = kAllObjects;
  std::array<LineMask, kObjects> masks = {};

 private:
  void Enable(unsigned object, bool is_enabled) {
    enabled = (enabled & ~BitOf(object)) | static_cast<unsigned>(is_enabled) << object;
  }
  // Returns the pixels of a player, a missile or the ball from where it is on.
  Pattern FindPattern(unsigned object) const;
  Pattern PlayerPattern(unsigned player) const;
  Pattern MissilePattern(unsigned missile) const;
  void MakePlayfield();
};

}  // namespace envpool::atari2600
