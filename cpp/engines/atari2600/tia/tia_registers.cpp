// What the TIA does when a register is written that changes something.
#include <array>
#include <cstddef>
#include <utility>

#include "atari2600/tia/tia.h"

namespace envpool::atari2600 {

namespace {

// Returns 0..159 for a sum that may be beyond the end of the line.
constexpr int WrapPlace(int place) { return place >= kWidth ? place - kWidth : place; }

}  // namespace

// Turning VSYNC off ends the frame. ALE: if it was on for a line.
void Tia::SetVsync(unsigned value, unsigned cycles) {
  const int clock = ToClock(cycles);
  if ((value & 2) != 0) {
    vsync_end_ = clock + kClocksPerLine;
  } else if (clock >= vsync_end_) {
    vsync_end_ = kNever;
    DrawBefore(kVsync, cycles);
    frame_is_over_ = true;
  }
}

void Tia::SetVblank(unsigned value, unsigned cycles) {
  const unsigned changed = vblank_ ^ value;
  if ((changed & kVblankIsOn) != 0) {
    DrawBefore(kVblank, cycles);
    NoteChange();
  }
  if ((changed & kPaddlesAreDumped & ~value) != 0) dump_end_cycle_ = cycles;
  vblank_ = static_cast<std::uint8_t>(value);
}

void Tia::SetSize(unsigned player, unsigned value, unsigned cycles) {
  DrawBefore(kNusiz0, cycles);
  objects_.size[player] = static_cast<std::uint8_t>(value);
  objects_.first_copy_is_hidden[player] = false;
  if (player == 0) objects_.star = Star::kOrdinary;
  NoteChange(BitOf(kPlayer0 + player) | BitOf(kMissile0 + player));
}

void Tia::SetColour(unsigned colour, unsigned value, unsigned cycles) {
  DrawBefore(kColup0, cycles);
  colours_[colour] = static_cast<std::uint8_t>((value & 0xfe) | colour_bit_);
  NoteChange();
}

void Tia::SetControl(unsigned value, unsigned cycles) {
  // ALE: late in a line, reflection waits for the next one.
  constexpr int kFirstLateClock = 147;
  DrawBefore(kCtrlpf, cycles);
  objects_.control = static_cast<std::uint8_t>(value);
  if (ClockOfLine(cycles) < kFirstLateClock) objects_.playfield_is_mirrored = (value & 1) != 0;
  NoteChange(BitOf(kBall) | BitOf(kPlayfield));
}

void Tia::SetMirrored(unsigned player, unsigned value, unsigned cycles) {
  objects_.is_mirrored[player] = (value & 8) != 0;
  UpdateShapes(kRefp0, cycles);
}

void Tia::SetPlayfield(unsigned part, unsigned value, unsigned cycles) {
  DrawBefore(kPf0, cycles);
  objects_.playfield[part] = static_cast<std::uint8_t>(value);
  objects_.FindEnabledPlayfield();
  NoteChange(BitOf(kPlayfield));
}

// A write of a player's graphics also makes the other's current graphics its old ones; that of
// player 1 does so with the ball, too.
void Tia::SetGraphics(unsigned player, unsigned value, unsigned cycles) {
  const unsigned other = 1 - player;
  objects_.graphics[player] = static_cast<std::uint8_t>(value);
  objects_.old_graphics[other] = objects_.graphics[other];
  if (player == 1) objects_.old_ball_is_on = objects_.ball_is_on;
  UpdateShapes(kGrp0, cycles);
}

void Tia::SetPlayerDelay(unsigned player, unsigned value, unsigned cycles) {
  objects_.is_delayed[player] = (value & 1) != 0;
  UpdateShapes(kVdelp0, cycles);
}

void Tia::EnableBall(unsigned value, unsigned cycles) {
  objects_.ball_is_on = (value & 2) != 0;
  UpdateShapes(kEnabl, cycles);
}

void Tia::SetBallDelay(unsigned value, unsigned cycles) {
  objects_.ball_is_delayed = (value & 1) != 0;
  UpdateShapes(kVdelbl, cycles);
}

// Lets players and ball show what the registers say now. Drawing until then uses what they showed.
void Tia::UpdateShapes(unsigned reg, unsigned cycles) {
  const std::uint8_t shape0 = objects_.FindShape(0);
  const std::uint8_t shape1 = objects_.FindShape(1);
  const bool ball_is_shown = objects_.FindBall();
  unsigned changed = 0;
  if (objects_.shape[0] != shape0) changed |= BitOf(kPlayer0);
  if (objects_.shape[1] != shape1) changed |= BitOf(kPlayer1);
  if (objects_.ball_is_shown != ball_is_shown) changed |= BitOf(kBall);
  if (changed == 0) return;
  DrawBefore(reg, cycles);
  objects_.shape = {shape0, shape1};
  objects_.ball_is_shown = ball_is_shown;
  objects_.FindEnabledPlayer(0);
  objects_.FindEnabledPlayer(1);
  objects_.FindEnabledBall();
  NoteChange(changed);
}

void Tia::EnableMissile(unsigned missile, unsigned value, unsigned cycles) {
  if (!objects_.missile_is_locked[missile]) {
    DrawBefore(kEnam0, cycles);
    NoteChange(BitOf(kMissile0 + missile));
  }
  objects_.missile_is_on[missile] = (value & 2) != 0;
  objects_.FindEnabledMissile(missile);
}

void Tia::LockMissile(unsigned missile, unsigned value, unsigned cycles) {
  DrawBefore(kResmp0, cycles);
  const bool is_locked = (value & 2) != 0;
  objects_.missile_is_locked[missile] = is_locked;
  if (!is_locked) {
    objects_.CentreMissile(missile);
    if (missile == 0) objects_.star = Star::kOrdinary;
  }
  objects_.FindEnabledMissile(missile);
  NoteChange(BitOf(kMissile0 + missile));
}

// Returns where RESP, RESM and RESBL put an object: some pixels right of where the beam is.
int Tia::PlaceAtBeam(unsigned cycles, int place_in_blank, int lag) const {
  const int clock = ClockOfLine(cycles);
  return clock < kBlankClocks ? place_in_blank : WrapPlace(clock - kBlankClocks + lag);
}

// ALE: all copies are shown at once if the player lands just before one of its old copies. In all
// other cases the first one is not shown in this line; if it lands in an old copy, the old ones are
// drawn some pixels further.
void Tia::ResetPlayer(unsigned player, unsigned cycles) {
  constexpr int kRestOfOldCopy = 11;
  DrawBefore(kResp0, cycles);
  const unsigned object = kPlayer0 + player;
  const int place = PlaceAtBeam(cycles, 3, 5);
  const int distance = WrapPlace(place - objects_.position[object] + kWidth);
  const Landing landing = FindLanding(objects_.size[player], distance);
  if (landing == Landing::kInACopy) DrawTo(ToClock(cycles) + kRestOfOldCopy);
  const bool is_hidden = landing != Landing::kJustBeforeACopy;
  if (distance == 0 && objects_.first_copy_is_hidden[player] == is_hidden) return;
  objects_.position[object] = place;
  objects_.first_copy_is_hidden[player] = is_hidden;
  NoteChange(BitOf(object));
}

// Returns the clocks since HMOVE, or something senseless if that was very long ago.
int Tia::ClocksSinceHmove(unsigned cycles) const {
  return static_cast<int>(static_cast<unsigned>(ToClock(cycles)) - hmove_clock_);
}

// ALE: soon after HMOVE, two moments put missiles, and five the ball, to other places than these.
void Tia::ResetMissile(unsigned missile, unsigned cycles) {
  const int clock = ClockOfLine(cycles);
  const int since_hmove = ClocksSinceHmove(cycles);
  DrawBefore(kResm0, cycles);
  NoteChange(BitOf(kMissile0 + missile));
  int place = PlaceAtBeam(cycles, 2, 4);
  if (missile == 0 && clock == 69 && since_hmove == 60) place = 8;
  if (missile == 1 && clock == 18 && since_hmove == 9) place = 3;
  objects_.position[kMissile0 + missile] = place;
  if (missile == 0) objects_.star = Star::kOrdinary;
}

void Tia::ResetBall(unsigned cycles) {
  const int clock = ClockOfLine(cycles);
  const int since_hmove = ClocksSinceHmove(cycles);
  DrawBefore(kResbl, cycles);
  NoteChange(BitOf(kBall));
  int place = PlaceAtBeam(cycles, 2, 4);
  if ((clock == 60 || clock == 69) && since_hmove == 54) place = 10;
  if (clock == 18 && since_hmove == 9) place = 3;
  if (clock == 30 && since_hmove == 21) place = 6;
  if (clock == 27 && since_hmove == 18) place = 5;
  objects_.position[kBall] = place;
}

// ALE: this change of code at this moment makes the stars of Cosmic Ark, until the next HMOVE.
void Tia::SetMissile0Motion(unsigned value, unsigned cycles) {
  const unsigned code = value >> 4;
  if (ClocksSinceHmove(cycles) == 63 && objects_.motion[kMissile0] == 7 && code == 6) {
    DrawBefore(kHmm0, cycles);
    makes_stars_ = true;
    star_line_ = 0;
  }
  objects_.motion[kMissile0] = static_cast<std::uint8_t>(code);
}

void Tia::MoveObjects(unsigned cycles) {
  DrawBefore(kHmove, cycles);
  const unsigned cycle = CycleOfLine(cycles);
  if (config_.has_hmove_blanks && (cycle <= 20 || cycle == 75)) left_is_black_ = true;
  for (unsigned object = 0; object < kMovableObjects; ++object) {
    const int pixels = kMotions[cycle][objects_.motion[object]];
    if (pixels == 0) continue;
    objects_.Move(object, pixels);
    NoteChange(BitOf(object));
  }
  if (objects_.first_copy_is_hidden[0] || objects_.first_copy_is_hidden[1] ||
      objects_.star != Star::kOrdinary) {
    objects_.first_copy_is_hidden = {};
    objects_.star = Star::kOrdinary;
    NoteChange(BitOf(kPlayer0) | BitOf(kPlayer1) | BitOf(kMissile0));
  }
  hmove_clock_ = static_cast<unsigned>(ToClock(cycles));
  makes_stars_ = false;
}

void Tia::ClearCollisions(unsigned cycles) {
  DrawBefore(kCxclr, cycles);
  if (!collisions_.AreAny()) return;
  collisions_.Clear();
  NoteChange();
}

template <unsigned kRegister>
unsigned Tia::WriteTo(Tia& tia, unsigned value, unsigned cycles) {
  return tia.Write<kRegister>(value, cycles);
}

unsigned Tia::Write(unsigned reg, unsigned value, unsigned cycles) {
  using Writer = unsigned (*)(Tia&, unsigned, unsigned);
  static constexpr auto kWriters = []<std::size_t... kRegister>(std::index_sequence<kRegister...>) {
    return std::array<Writer, kTiaRegisters>{&Tia::WriteTo<kRegister>...};
  }(std::make_index_sequence<kTiaRegisters>());
  return kWriters[reg % kTiaRegisters](*this, value & 0xff, cycles);
}

}  // namespace envpool::atari2600
