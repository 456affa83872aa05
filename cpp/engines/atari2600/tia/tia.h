// Tia: the chip that makes the picture, tells which objects touch, and reads paddles and triggers.
//
// It draws as late as it can: a write of a register that changes what is seen first draws what was
// seen until then. Time is in the processor's cycles from an origin that StartFrame moves; a cycle
// is three colour clocks, and a pixel takes one. All times are below 2^24 cycles.
//
// A Tia is a snapshot of itself: copy it, and the pictures' FrontIndex.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "atari2600/tia/collisions.h"
#include "atari2600/tia/motion.h"
#include "atari2600/tia/objects.h"
#include "atari2600/tia/painting.h"
#include "atari2600/tia/pictures.h"
#include "atari2600/tia/tia_register.h"
#include "envpool/archive.h"

namespace envpool::atari2600 {

inline constexpr int kClocksPerCycle = 3;
inline constexpr int kClocksPerLine = kClocksPerCycle * kCyclesPerLine;
inline constexpr int kBlankClocks = kClocksPerLine - kWidth;  // at the beginning of a line

inline constexpr unsigned kTiaRegisters = 64;  // those from kNoTiaRegister on do nothing

// Returns how many clocks after the end of its instruction a write is seen. ALE: these numbers.
[[gnu::always_inline]] constexpr int Delay(unsigned reg, unsigned cycle_of_line) {
  constexpr std::array<int, 4> kPlayfieldDelays = {4, 5, 2, 3};
  switch (reg) {
    case kVblank:
    case kRefp0:
    case kRefp1:
    case kGrp0:
    case kGrp1: return 1;
    case kNusiz0:
    case kNusiz1:
    case kResm0:
    case kResm1: return 8;
    case kPf0:
    case kPf1:
    case kPf2: return kPlayfieldDelays[cycle_of_line % 4];
    default: return 0;
  }
}

struct TiaConfig {
  int ystart = 34;  // the line that the picture begins with
  int height = 210;
  bool is_pal = false;
  bool has_hmove_blanks = true;  // HMOVE makes the first pixels of its line black
};
inline constexpr int kMostYstart = 64;

inline constexpr std::int32_t kNoPaddle = 0x7fffffff;

struct TiaInputs {
  std::array<std::uint8_t, 2> trigger = {0x80, 0x80};  // 0x80: released
  std::array<std::int32_t, 4> paddle = {kNoPaddle, kNoPaddle, kNoPaddle, kNoPaddle};  // resistance

  bool operator==(const TiaInputs&) const = default;
};

class Tia {
 public:
  // Power-on. An unfinished frame stays unfinished. Throws std::invalid_argument if the picture
  // cannot be so high or begin so late.
  void Reset(const TiaConfig& config);

  void SetInputs(const TiaInputs& inputs) { inputs_ = inputs; }

  // Starts a frame in the picture that was in the back. The current cycle becomes cycle 0.
  void StartFrame(unsigned cycles, bool is_painted, Pictures& pictures);

  // Goes on with a frame that was left unfinished.
  void Resume(bool is_painted, Pictures& pictures);

  // True if the processor has to leave when its instruction is done, and a frame has to be started.
  bool FrameIsOver() const { return frame_is_over_; }

  // To be called if the processor left before the frame was over.
  void LeaveUnfinished(unsigned cycles);

  // Makes all times less, for a frame that does not end. It was left, and `cycles` are some even
  // number of lines.
  void Rebase(unsigned cycles);

  // Returns the number of whole lines since the frame started.
  int Lines(unsigned cycles) const { return (ToClock(cycles) - frame_start_) / kClocksPerLine; }

  // Returns how many clocks of the picture are drawn: rows after that show an earlier frame.
  int Reach() const { return drawn_to_ - picture_start_; }

  // `bus` is the byte that was last on the data bus: bits that no register drives keep it.
  std::uint8_t Read(unsigned address, std::uint8_t bus, unsigned cycles);

  // Writes a byte. Returns the cycle at which the processor goes on.
  template <unsigned kRegister>
  unsigned Write(unsigned value, unsigned cycles);
  unsigned Write(unsigned reg, unsigned value, unsigned cycles);

  void Serialize(Archive& archive);

 private:
  static constexpr unsigned kNoAccess = kTiaRegisters;
  static constexpr unsigned kReadAccess = kTiaRegisters + 1;
  static constexpr unsigned kVblankIsOn = 2;  // bits of VBLANK
  static constexpr unsigned kPaddlesAreDumped = 0x80;
  static constexpr std::int32_t kNever = 0x7fffffff;

  static constexpr int ToClock(unsigned cycles) {
    return static_cast<int>(cycles) * kClocksPerCycle;
  }
  unsigned CycleOfLine(unsigned cycles) const {
    return (cycles + line_phase_) % static_cast<unsigned>(kCyclesPerLine);
  }
  int ClockOfLine(unsigned cycles) const { return ToClock(CycleOfLine(cycles)); }

  // Time and frames.
  void SetFrameStart(int clock);
  void MoveBack(unsigned cycles);
  void EndFrameAtLimit(unsigned reg, unsigned cycles);
  void GreyRows(int first);

  // Drawing.
  void DrawTo(int clock);
  [[gnu::always_inline]] void DrawBefore(unsigned reg, unsigned cycles) {
    DrawTo(ToClock(cycles) + Delay(reg, CycleOfLine(cycles)));
  }
  void DrawLines(int clock);
  bool SkipSameLines(int clock);
  void DrawPart(int from, int to);
  void DrawPixels(bool is_painted, int first, int end);
  void Blacken(int first, int end);
  void EndLine();
  void MoveStar();

  // Notes that the next line will not be like the one before, and whose masks are out of date.
  void NoteChange(unsigned objects = 0) {
    objects_.stale |= objects;
    line_is_same_ = false;
  }

  // Writes of registers.
  template <unsigned kRegister>
  bool ChangesNothing(unsigned value) const;
  template <unsigned kRegister>
  void Set(unsigned value, unsigned cycles);
  template <unsigned kRegister>
  static unsigned WriteTo(Tia& tia, unsigned value, unsigned cycles);

  void SetVsync(unsigned value, unsigned cycles);
  void SetVblank(unsigned value, unsigned cycles);
  void SetSize(unsigned player, unsigned value, unsigned cycles);
  void SetColour(unsigned colour, unsigned value, unsigned cycles);
  void SetControl(unsigned value, unsigned cycles);
  void SetMirrored(unsigned player, unsigned value, unsigned cycles);
  void SetPlayfield(unsigned part, unsigned value, unsigned cycles);
  void SetGraphics(unsigned player, unsigned value, unsigned cycles);
  void SetPlayerDelay(unsigned player, unsigned value, unsigned cycles);
  void EnableMissile(unsigned missile, unsigned value, unsigned cycles);
  void EnableBall(unsigned value, unsigned cycles);
  void SetBallDelay(unsigned value, unsigned cycles);
  void LockMissile(unsigned missile, unsigned value, unsigned cycles);
  void ResetPlayer(unsigned player, unsigned cycles);
  void ResetMissile(unsigned missile, unsigned cycles);
  void ResetBall(unsigned cycles);
  void SetMissile0Motion(unsigned value, unsigned cycles);
  void MoveObjects(unsigned cycles);
  void ClearCollisions(unsigned cycles);
  void UpdateShapes(unsigned reg, unsigned cycles);
  int PlaceAtBeam(unsigned cycles, int place_in_blank, int lag) const;
  int ClocksSinceHmove(unsigned cycles) const;

  bool PaddleIsCharged(std::int32_t resistance, unsigned cycles) const;
  void SerializeTime(Archive& archive);

  TiaConfig config_;
  TiaInputs inputs_;
  Picture* picture_ = nullptr;
  bool is_painted_ = false;

  // The frame. Clocks count from the origin of the cycles.
  bool frame_is_over_ = true;
  bool is_greyed_ = false;
  int frame_start_ = 0;  // a multiple of three, at most 0
  int picture_start_ = 0;
  int picture_end_ = 0;
  int row_ = 0;         // the row that is drawn next
  int line_start_ = 0;  // the clock at which its line starts
  int drawn_to_ = 0;
  unsigned line_phase_ = 0;      // what makes cycles count from the frame's start
  unsigned limit_cycle_ = 0;     // a write from here on ends the frame
  bool lines_were_odd_ = false;  // in the last frame

  // The last access: where ALE's picture is up to.
  unsigned access_cycle_ = 0;
  unsigned access_register_ = kNoAccess;

  // Moments. They may be so long ago that they wrap around.
  std::int32_t vsync_end_ = kNever;  // the clock from which on VSYNC may be turned off
  unsigned hmove_clock_ = 0;
  unsigned dump_end_cycle_ = 0;  // when the paddles' capacitors began to be charged

  std::uint8_t vblank_ = 0;
  Colours colours_ = {};
  std::uint8_t colour_bit_ = 0;  // bit 0 of all colours
  bool left_is_black_ = false;   // by HMOVE, in the line that is drawn
  bool makes_stars_ = false;
  unsigned star_line_ = 0;     // 0..3
  bool line_is_same_ = false;  // as the row above, which was drawn whole
  Collisions collisions_;
  Objects objects_;
};

static_assert(std::is_trivially_copyable_v<Tia>);

// Draws what was seen until the clock. ALE: nothing before the first row, though lines of an
// unfinished frame may begin earlier.
inline void Tia::DrawTo(int clock) {
  if (clock > picture_end_) clock = picture_end_;
  if (clock <= drawn_to_ || clock < picture_start_) return;
  if (clock - line_start_ <= kBlankClocks) {
    drawn_to_ = clock;
  } else {
    DrawLines(clock);
  }
}

// True if the write would change no more than what the registers remember already.
template <unsigned kRegister>
[[gnu::always_inline]] inline bool Tia::ChangesNothing(unsigned value) const {
  const Objects& objects = objects_;
  switch (kRegister) {
    case kVblank: return vblank_ == value;
    case kNusiz0:
      return objects.size[0] == value && !objects.first_copy_is_hidden[0] &&
             objects.star == Star::kOrdinary;
    case kNusiz1: return objects.size[1] == value && !objects.first_copy_is_hidden[1];
    case kColup0: return colours_[kPlayer0Colour] == ((value & 0xfe) | colour_bit_);
    case kColup1: return colours_[kPlayer1Colour] == ((value & 0xfe) | colour_bit_);
    case kColupf: return colours_[kPlayfieldColour] == ((value & 0xfe) | colour_bit_);
    case kColubk: return colours_[kBackgroundColour] == ((value & 0xfe) | colour_bit_);
    case kCtrlpf:
      return objects.control == value && objects.playfield_is_mirrored == ((value & 1) != 0);
    case kRefp0:
    case kRefp1: return objects.is_mirrored[kRegister - kRefp0] == ((value & 8) != 0);
    case kPf0: return objects.playfield[0] == value >> 4;
    case kPf1:
    case kPf2: return objects.playfield[kRegister - kPf0] == value;
    case kGrp0:
      return objects.graphics[0] == value && objects.old_graphics[1] == objects.graphics[1];
    case kGrp1:
      return objects.graphics[1] == value && objects.old_graphics[0] == objects.graphics[0] &&
             objects.old_ball_is_on == objects.ball_is_on;
    case kEnam0:
    case kEnam1: return objects.missile_is_on[kRegister - kEnam0] == ((value & 2) != 0);
    case kEnabl: return objects.ball_is_on == ((value & 2) != 0);
    case kVdelp0:
    case kVdelp1: return objects.is_delayed[kRegister - kVdelp0] == ((value & 1) != 0);
    case kVdelbl: return objects.ball_is_delayed == ((value & 1) != 0);
    case kResmp0:
    case kResmp1: return objects.missile_is_locked[kRegister - kResmp0] == ((value & 2) != 0);
    case kVsync:
    case kResp0:
    case kResp1:
    case kResm0:
    case kResm1:
    case kResbl:
    case kHmp0:
    case kHmp1:
    case kHmm0:
    case kHmm1:
    case kHmbl:
    case kHmove:
    case kHmclr:
    case kCxclr: return false;
    default: return true;  // nothing, or sound
  }
}

template <unsigned kRegister>
[[gnu::always_inline]] inline void Tia::Set(unsigned value, unsigned cycles) {
  switch (kRegister) {
    case kVsync: return SetVsync(value, cycles);
    case kVblank: return SetVblank(value, cycles);
    case kNusiz0:
    case kNusiz1: return SetSize(kRegister - kNusiz0, value, cycles);
    case kColup0: return SetColour(kPlayer0Colour, value, cycles);
    case kColup1: return SetColour(kPlayer1Colour, value, cycles);
    case kColupf: return SetColour(kPlayfieldColour, value, cycles);
    case kColubk: return SetColour(kBackgroundColour, value, cycles);
    case kCtrlpf: return SetControl(value, cycles);
    case kRefp0:
    case kRefp1: return SetMirrored(kRegister - kRefp0, value, cycles);
    case kPf0: return SetPlayfield(0, value >> 4, cycles);
    case kPf1:
    case kPf2: return SetPlayfield(kRegister - kPf0, value, cycles);
    case kResp0:
    case kResp1: return ResetPlayer(kRegister - kResp0, cycles);
    case kResm0:
    case kResm1: return ResetMissile(kRegister - kResm0, cycles);
    case kResbl: return ResetBall(cycles);
    case kGrp0:
    case kGrp1: return SetGraphics(kRegister - kGrp0, value, cycles);
    case kEnam0:
    case kEnam1: return EnableMissile(kRegister - kEnam0, value, cycles);
    case kEnabl: return EnableBall(value, cycles);
    case kHmp0:
    case kHmp1:
    case kHmm1:
    case kHmbl: objects_.motion[kRegister - kHmp0] = static_cast<std::uint8_t>(value >> 4); return;
    case kHmm0: return SetMissile0Motion(value, cycles);
    case kVdelp0:
    case kVdelp1: return SetPlayerDelay(kRegister - kVdelp0, value, cycles);
    case kVdelbl: return SetBallDelay(value, cycles);
    case kResmp0:
    case kResmp1: return LockMissile(kRegister - kResmp0, value, cycles);
    case kHmove: return MoveObjects(cycles);
    case kHmclr: objects_.motion = {}; return;
    case kCxclr: return ClearCollisions(cycles);
    default: return;
  }
}

template <unsigned kRegister>
[[gnu::always_inline]] inline unsigned Tia::Write(unsigned value, unsigned cycles) {
  access_cycle_ = cycles;
  access_register_ = kRegister;
  if (cycles >= limit_cycle_) [[unlikely]]
    EndFrameAtLimit(kRegister, cycles);
  if constexpr (kRegister == kWsync) {
    const unsigned into_line = CycleOfLine(cycles);
    return into_line == 0 ? cycles : cycles + static_cast<unsigned>(kCyclesPerLine) - into_line;
  } else {
    if (!ChangesNothing<kRegister>(value)) Set<kRegister>(value, cycles);
    return cycles;
  }
}

}  // namespace envpool::atari2600
