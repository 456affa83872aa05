// Dpc: the chip of Pitfall II that fetches graphics, makes random numbers and plays music.
#pragma once

#include <array>
#include <cstdint>

#include "envpool/archive.h"

namespace envpool::atari2600 {

class Dpc {
 public:
  // ALE: a reset leaves all but the music's clock as it was.
  void Reset();

  // Reads one of the registers 0..0x3F. `data` are the 2 KiB of graphics.
  std::uint8_t Read(unsigned address, const std::uint8_t* data, unsigned cycles);

  // Writes one of the registers 0x40..0x7F.
  void Write(unsigned address, std::uint8_t value);

  // Every access to the chip's addresses makes a new random number.
  void ClockRandom();

  void Rebase(unsigned by) { music_cycle_ -= by; }
  void Serialize(Archive& archive);

 private:
  struct Fetcher {
    std::uint8_t top = 0;
    std::uint8_t bottom = 0;
    std::uint8_t flag = 0;  // 0xFF between top and bottom
    std::uint16_t counter = 0;
    bool plays_music = false;  // only the last three can
  };

  static constexpr unsigned kFirstVoice = 5;

  void UpdateFlag(Fetcher& fetcher);
  std::uint8_t ReadMusic(unsigned cycles);
  void PlayMusic(unsigned cycles);

  std::array<Fetcher, 8> fetchers_ = {};
  std::uint8_t random_ = 1;
  unsigned music_cycle_ = 0;  // up to where the music was played
  double music_fraction_ = 0;
};

}  // namespace envpool::atari2600
