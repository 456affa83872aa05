// Riot: the chip with the timer and the ports of the joysticks and switches. Its RAM is kept where
// the processor reaches it fastest, in Chips.
#pragma once

#include <cstdint>

#include "atari2600/cpu/opcodes.h"
#include "envpool/archive.h"

namespace envpool::atari2600 {

class Riot {
 public:
  // ALE: the timer starts anywhere from 25 to 99, which the caller draws.
  void Reset(unsigned timer);

  void SetPorts(std::uint8_t swcha, std::uint8_t swchb) {
    swcha_ = swcha;
    swchb_ = swchb;
  }

  std::uint8_t Read(unsigned address, unsigned cycles);
  void Write(unsigned address, std::uint8_t value, unsigned cycles);

  // Returns how many times a loop that reads INTIM and branches back, at this cycle and every
  // `period` cycles, certainly goes round.
  unsigned RoundsToWait(Operation branch, unsigned period, unsigned cycles) const;

  void Rebase(unsigned by);
  void Serialize(Archive& archive);

 private:
  int Left(unsigned elapsed) const;
  std::uint8_t ReadTimer(unsigned cycles);

  unsigned timer_ = 0;     // what was written last
  unsigned shift_ = 6;     // the logarithm of a tick's cycles
  unsigned set_at_ = 0;    // the cycle it was written at
  unsigned read_at_ = 0;   // the cycle of the first read after it expired
  bool was_read_ = false;  // True if there was such a read
  std::uint8_t direction_ = 0;
  std::uint8_t swcha_ = 0xff;
  std::uint8_t swchb_ = 0x0b;
};

}  // namespace envpool::atari2600
