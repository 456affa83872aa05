#include "atari2600/riot.h"

namespace envpool::atari2600 {

void Riot::Reset(unsigned timer) {
  timer_ = timer;
  shift_ = 6;
  set_at_ = 0;
  read_at_ = 0;
  was_read_ = false;
  direction_ = 0;
}

// Returns the timer's value, which is negative after it has expired.
int Riot::Left(unsigned elapsed) const {
  return static_cast<int>(timer_ - (elapsed >> shift_) - 1);
}

std::uint8_t Riot::Read(unsigned address, unsigned cycles) {
  switch (address & 7) {
    case 0: return swcha_;
    case 1: return direction_;  // ALE: it is stored, and has no effect
    case 2: return swchb_;
    case 3: return 0;
    case 4:
    case 6: return ReadTimer(cycles);
    default: return Left(cycles - 1 - set_at_) >= 0 || was_read_ ? 0 : 0x80;
  }
}

// ALE: an expired timer counts cycles, as in the real chip, only until it is read for the first
// time. From then on it counts ticks, less the cycles from its expiry to that read.
std::uint8_t Riot::ReadTimer(unsigned cycles) {
  const unsigned elapsed = cycles - 1 - set_at_;
  const int left = Left(elapsed);
  if (left >= 0) return static_cast<std::uint8_t>(left);
  const unsigned whole = timer_ << shift_;
  if (static_cast<std::int32_t>(whole - elapsed - 1) <= -2 && !was_read_) {
    was_read_ = true;
    read_at_ = cycles;
  }
  if (!was_read_) return static_cast<std::uint8_t>(whole - elapsed - 1);
  return static_cast<std::uint8_t>(timer_ - (elapsed >> shift_) - (read_at_ - (set_at_ + whole)));
}

void Riot::Write(unsigned address, std::uint8_t value, unsigned cycles) {
  static constexpr unsigned kShifts[4] = {0, 3, 6, 10};
  if ((address & 7) == 1) {
    direction_ = value;
  } else if ((address & 0x14) == 0x14) {
    timer_ = value;
    shift_ = kShifts[address & 3];
    set_at_ = cycles;
    was_read_ = false;
  }
}

unsigned Riot::RoundsToWait(Operation branch, unsigned period, unsigned cycles) const {
  const unsigned elapsed = cycles - 1 - set_at_;
  const int left = Left(elapsed);
  if (left < 0) return 0;
  unsigned ticks = 0;  // from setting the timer until the branch is not taken
  if (branch == Operation::kBNE) {
    ticks = timer_ - 1;
  } else if (branch == Operation::kBPL && left < 128) {
    ticks = timer_;
  } else if (branch == Operation::kBMI && left >= 128) {
    ticks = timer_ - 128;
  } else {
    return 0;
  }
  const unsigned rest = (ticks << shift_) - elapsed;
  if (static_cast<std::int32_t>(rest) <= 0) return 0;
  return (rest + period - 1) / period;
}

void Riot::Rebase(unsigned by) {
  set_at_ -= by;
  read_at_ -= by;
}

void Riot::Serialize(Archive& archive) {
  archive.Range(timer_, 0, 255);
  archive.Range(shift_, 0, 10);
  archive.Any(set_at_, read_at_, direction_, swcha_, swchb_);
  archive(was_read_);
}

}  // namespace envpool::atari2600
