#include "atari2600/tia/tia.h"

#include <algorithm>
#include <stdexcept>

namespace envpool::atari2600 {

namespace {

// ALE: a frame in which more whole lines than these have passed ends with the next write.
constexpr int kMostLines = 290;
constexpr int kMostLinesPal = 342;

constexpr int kHmoveBlank = 8;  // pixels

// A frame that started so many clocks ago and goes on is treated as if it had not started earlier.
constexpr int kLongAgo = 1 << 24;

}  // namespace

void Tia::Reset(const TiaConfig& config) {
  if (config.ystart < 0 || config.ystart > kMostYstart) {
    throw std::invalid_argument("the picture begins at an impossible line");
  }
  if (config.height < 1 || config.height > kMaxHeight) {
    throw std::invalid_argument("the picture has an impossible height");
  }
  const bool is_over = frame_is_over_;
  const bool is_greyed = is_greyed_;
  *this = Tia();
  frame_is_over_ = is_over;
  is_greyed_ = is_greyed;
  config_ = config;
  // ALE: the picture of an unfinished frame that goes on after this begins at line 0, not at
  // ystart.
  SetFrameStart(0);
}

void Tia::StartFrame(unsigned cycles, bool is_painted, Pictures& pictures) {
  lines_were_odd_ = Lines(cycles) % 2 != 0;
  SetFrameStart(-ClockOfLine(cycles));
  MoveBack(cycles);
  row_ = 0;
  line_start_ = drawn_to_ = picture_start_;
  access_register_ = kNoAccess;
  is_greyed_ = false;
  // ALE: after a frame with an odd number of lines PAL has other colours.
  colour_bit_ = config_.is_pal && lines_were_odd_ ? 1 : 0;
  if (config_.is_pal) {
    for (std::uint8_t& colour : colours_) {
      colour = static_cast<std::uint8_t>((colour & 0xfe) | colour_bit_);
    }
  }
  pictures.Swap();
  Resume(is_painted, pictures);
}

void Tia::Resume(bool is_painted, Pictures& pictures) {
  frame_is_over_ = false;
  is_painted_ = is_painted;
  picture_ = &pictures.Front();
  line_is_same_ = false;
}

void Tia::LeaveUnfinished(unsigned cycles) {
  if (access_register_ != kNoAccess) DrawBefore(access_register_, access_cycle_);
  access_register_ = kNoAccess;
  if (!is_greyed_ && is_painted_) GreyRows(Lines(cycles) - config_.ystart);
  is_greyed_ = true;
}

// ALE: what an unfinished frame has not drawn yet loses its colours, once.
void Tia::GreyRows(int first) {
  for (int row = std::max(first, 0); row < config_.height; ++row) {
    std::uint8_t* pixels = picture_->Change(static_cast<std::size_t>(row));
    std::transform(pixels, pixels + kWidth, pixels,
                   [](std::uint8_t p) { return static_cast<std::uint8_t>((p & 15) >> 1); });
  }
}

void Tia::SetFrameStart(int clock) {
  frame_start_ = clock;
  picture_start_ = clock + kClocksPerLine * config_.ystart;
  picture_end_ = picture_start_ + kClocksPerLine * config_.height;
  line_phase_ = static_cast<unsigned>(-clock / kClocksPerCycle);
  const int most_lines = config_.is_pal ? kMostLinesPal : kMostLines;
  const int limit = clock + kClocksPerLine * (most_lines + 1);
  limit_cycle_ = static_cast<unsigned>(std::max(limit, 0) / kClocksPerCycle);
}

// Moves what is remembered beyond frames to an origin that is so many cycles later.
void Tia::MoveBack(unsigned cycles) {
  const unsigned clocks = cycles * static_cast<unsigned>(kClocksPerCycle);
  vsync_end_ = static_cast<std::int32_t>(static_cast<unsigned>(vsync_end_) - clocks);
  hmove_clock_ -= clocks;
  dump_end_cycle_ -= cycles;
}

void Tia::Rebase(unsigned cycles) {
  MoveBack(cycles);
  if (frame_start_ < -kLongAgo) return;
  const int clocks = ToClock(cycles);
  SetFrameStart(frame_start_ - clocks);
  line_start_ -= clocks;
  drawn_to_ -= clocks;
}

void Tia::EndFrameAtLimit(unsigned reg, unsigned cycles) {
  DrawBefore(reg, cycles);
  frame_is_over_ = true;
}

void Tia::DrawLines(int clock) {
  while (clock > line_start_ + kClocksPerLine) {
    if (SkipSameLines(clock)) continue;
    DrawPart(drawn_to_ - line_start_, kClocksPerLine);
    EndLine();
    line_start_ += kClocksPerLine;
    drawn_to_ = line_start_;
    ++row_;
  }
  DrawPart(drawn_to_ - line_start_, clock - line_start_);
  drawn_to_ = clock;
}

// Goes to the line that has the clock, if nobody sees the lines before and they change nothing.
bool Tia::SkipSameLines(int clock) {
  if (!line_is_same_ || is_painted_ || left_is_black_ || makes_stars_) return false;
  if (drawn_to_ != line_start_) return false;
  const int lines = (clock - line_start_ - 1) / kClocksPerLine;
  row_ += lines;
  line_start_ += kClocksPerLine * lines;
  drawn_to_ = line_start_;
  return true;
}

// Draws the clocks from `from` to before `to` of the line.
void Tia::DrawPart(int from, int to) {
  const int end = to - kBlankClocks;
  if (end <= 0) return;
  const int first = std::max(from - kBlankClocks, 0);
  const bool is_whole = first == 0 && end == kWidth;
  // A frame that began at line 0 has more rows than the picture.
  const bool is_painted = is_painted_ && row_ < config_.height;
  if (is_whole && line_is_same_ && !left_is_black_) {
    if (is_painted) picture_->Repeat(static_cast<std::size_t>(row_));
    return;
  }
  if (first < end) {
    DrawPixels(is_painted, first, end);
    line_is_same_ = is_whole;
  }
  if (left_is_black_ && first < kHmoveBlank) {
    // ALE: what is behind the black part collides nevertheless.
    if (is_painted) Blacken(first, kHmoveBlank);
    if (end >= kHmoveBlank) left_is_black_ = false;
    line_is_same_ = false;
  }
}

// Paints pixels of the row, if they are painted at all, and looks for collisions in them.
void Tia::DrawPixels(bool is_painted, int first, int end) {
  if ((vblank_ & kVblankIsOn) != 0) {
    if (is_painted) Blacken(first, end);
    return;
  }
  const bool may_collide = collisions_.MayFindMore(objects_.enabled);
  if (!is_painted && !may_collide) return;
  if (objects_.stale != 0) objects_.MakeMasks();
  if (may_collide) collisions_.Look(objects_, first, end);
  if (!is_painted) return;
  const auto row = static_cast<std::size_t>(row_);
  if (first == 0 && end == kWidth) {
    PaintLine(picture_->Replace(row), objects_, colours_);
  } else {
    PaintPart(picture_->Change(row), objects_, colours_, first, end);
  }
}

void Tia::Blacken(int first, int end) {
  std::uint8_t* pixels = picture_->Change(static_cast<std::size_t>(row_));
  std::fill(pixels + first, pixels + end, std::uint8_t{0});
}

// What was written during a line and takes effect at its end. ALE: only when something is drawn
// beyond it, so not at the end of lines out of sight.
void Tia::EndLine() {
  const bool is_mirrored = (objects_.control & 1) != 0;
  if (objects_.playfield_is_mirrored != is_mirrored) {
    objects_.playfield_is_mirrored = is_mirrored;
    NoteChange(BitOf(kPlayfield));
  }
  for (unsigned player = 0; player < 2; ++player) {
    if (!objects_.first_copy_is_hidden[player]) continue;
    objects_.first_copy_is_hidden[player] = false;
    NoteChange(BitOf(kPlayer0 + player));
  }
  if (makes_stars_) MoveStar();
}

// ALE: the stars of Cosmic Ark, which come from a write of HMM0 while HMOVE moves the missile.
void Tia::MoveStar() {
  struct Step {
    int pixels;
    Star star;
  };
  static constexpr std::array<Step, 4> kSteps = {{{-18, Star::kOrdinary},
                                                  {-33, Star::kAtLeastTwoWide},
                                                  {0, Star::kHidden},
                                                  {-17, Star::kOrdinary}}};
  star_line_ = (star_line_ + 1) % kSteps.size();
  objects_.Move(kMissile0, kSteps[star_line_].pixels);
  objects_.star = kSteps[star_line_].star;
  NoteChange(BitOf(kMissile0));
}

std::uint8_t Tia::Read(unsigned address, std::uint8_t bus, unsigned cycles) {
  access_cycle_ = cycles;
  access_register_ = kReadAccess;
  const unsigned undriven = bus & 0x3fU;
  const unsigned reg = address & 15;
  if (reg < 8) {
    DrawTo(ToClock(cycles));
    return static_cast<std::uint8_t>(collisions_.Read(reg) | undriven);
  }
  if (reg < 12) {
    const bool is_charged = PaddleIsCharged(inputs_.paddle[reg - 8], cycles);
    return static_cast<std::uint8_t>((is_charged ? 0x80 : 0) | undriven);
  }
  if (reg < 14) return static_cast<std::uint8_t>((inputs_.trigger[reg - 12] & 0x80) | undriven);
  return static_cast<std::uint8_t>(undriven);
}

// A paddle charges a capacitor, the slower the greater its resistance is. VBLANK's bit 7
// discharges.
bool Tia::PaddleIsCharged(std::int32_t resistance, unsigned cycles) const {
  if (resistance <= 0) return true;
  if (resistance == kNoPaddle || (vblank_ & kPaddlesAreDumped) != 0) return false;
  const double seconds = 1.6 * resistance * 0.01E-6;
  const auto needed = static_cast<unsigned>(seconds * 1.19E6);
  // ALE: the comparison is unsigned, and the dump's end may be before cycle 0.
  return cycles > dump_end_cycle_ + needed;
}

// Snapshots are taken between frames: no access is remembered, and the picture comes anew.
void Tia::Serialize(Archive& archive) {
  SerializeTime(archive);
  archive.Any(vsync_end_, hmove_clock_, dump_end_cycle_, vblank_, colours_);
  archive(left_is_black_, makes_stars_);
  archive.Index(star_line_, 4);
  archive(collisions_, objects_);
  if (!archive.IsReader()) return;
  access_register_ = kNoAccess;
  colour_bit_ = config_.is_pal && lines_were_odd_ ? 1 : 0;
  line_is_same_ = false;
}

// All times of the frame follow from its start, the row, and the clock in the row's line.
void Tia::SerializeTime(Archive& archive) {
  archive(frame_is_over_, is_greyed_, lines_were_odd_);
  int start = frame_start_;
  int row = row_;
  bool begins_at_ystart = line_start_ - kClocksPerLine * row_ == picture_start_;
  int clock_of_line = drawn_to_ - line_start_;
  archive.Range(start, -4 * kLongAgo, 0);
  archive.Require(start % kClocksPerCycle == 0, "a frame that starts within a cycle");
  archive.Range(row, 0, config_.height + config_.ystart);
  archive.Range(clock_of_line, 0, kClocksPerLine);
  archive(begins_at_ystart);
  if (!archive.IsReader()) return;
  SetFrameStart(start);
  row_ = row;
  line_start_ = (begins_at_ystart ? picture_start_ : frame_start_) + kClocksPerLine * row_;
  drawn_to_ = line_start_ + clock_of_line;
}

}  // namespace envpool::atari2600
