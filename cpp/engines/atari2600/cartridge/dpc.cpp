#include "atari2600/cartridge/dpc.h"

namespace envpool::atari2600 {
namespace {

constexpr unsigned kCounterMask = 0x7ff;
constexpr double kMusicFrequency = 15750.0;
constexpr double kProcessorFrequency = 1193191.66666667;

}  // namespace

void Dpc::Reset() {
  music_cycle_ = 0;
  music_fraction_ = 0;
}

void Dpc::ClockRandom() {
  // The new bit is 1 if an even number of the bits 3, 4, 5 and 7 are.
  const unsigned bits = (random_ >> 3 & 7U) ^ (random_ >> 4 & 8U);
  const unsigned parity = (bits ^ bits >> 1 ^ bits >> 2 ^ bits >> 3) & 1;
  random_ = static_cast<std::uint8_t>(random_ << 1 | (parity ^ 1));
}

void Dpc::UpdateFlag(Fetcher& fetcher) {
  const unsigned low = fetcher.counter & 0xff;
  if (low == fetcher.top) {
    fetcher.flag = 0xff;
  } else if (low == fetcher.bottom) {
    fetcher.flag = 0;
  }
}

std::uint8_t Dpc::Read(unsigned address, const std::uint8_t* data, unsigned cycles) {
  const unsigned index = address & 7;
  Fetcher& fetcher = fetchers_[index];
  UpdateFlag(fetcher);
  const std::uint8_t graphics = data[kCounterMask - (fetcher.counter & kCounterMask)];
  std::uint8_t result = 0;
  switch (address >> 3 & 7) {
    case 0: result = index < 4 ? random_ : ReadMusic(cycles); break;
    case 1: result = graphics; break;
    case 2: result = graphics & fetcher.flag; break;
    case 7: result = fetcher.flag; break;
    default: break;
  }
  if (!fetcher.plays_music) {
    fetcher.counter = static_cast<std::uint16_t>((fetcher.counter - 1U) & kCounterMask);
  }
  return result;
}

std::uint8_t Dpc::ReadMusic(unsigned cycles) {
  static constexpr std::array<std::uint8_t, 8> kAmplitudes = {0, 4, 5, 9, 6, 10, 11, 15};
  PlayMusic(cycles);
  unsigned voices = 0;
  for (unsigned i = 0; i < 3; ++i) {
    const Fetcher& voice = fetchers_[kFirstVoice + i];
    if (voice.plays_music && voice.flag != 0) voices |= 1U << i;
  }
  return kAmplitudes[voices];
}

void Dpc::PlayMusic(unsigned cycles) {
  const auto elapsed = static_cast<std::int32_t>(cycles - music_cycle_);
  music_cycle_ = cycles;
  const double clocks = kMusicFrequency * elapsed / kProcessorFrequency + music_fraction_;
  const auto whole = static_cast<int>(clocks);
  music_fraction_ = clocks - whole;
  if (whole <= 0) return;
  for (unsigned i = kFirstVoice; i < fetchers_.size(); ++i) {
    Fetcher& voice = fetchers_[i];
    if (!voice.plays_music) continue;
    const int period = voice.top + 1;
    int place = 0;
    if (voice.top != 0) {
      place = (voice.counter & 0xff) - whole % period;
      if (place < 0) place += period;
    }
    if (place <= voice.bottom) {
      voice.flag = 0;
    } else if (place <= voice.top) {
      voice.flag = 0xff;
    }
    voice.counter = static_cast<std::uint16_t>((voice.counter & 0x700) | place);
  }
}

void Dpc::Write(unsigned address, std::uint8_t value) {
  Fetcher& fetcher = fetchers_[address & 7];
  const bool is_voice = (address & 7) >= kFirstVoice;
  switch (address >> 3 & 7) {
    case 0:
      fetcher.top = value;
      fetcher.flag = 0;
      break;
    case 1: fetcher.bottom = value; break;
    case 2: {
      const unsigned low = fetcher.plays_music ? fetcher.top : value;
      fetcher.counter = static_cast<std::uint16_t>((fetcher.counter & 0x700U) | low);
      break;
    }
    case 3:
      fetcher.counter = static_cast<std::uint16_t>((value & 7U) << 8 | (fetcher.counter & 0xffU));
      if (is_voice) fetcher.plays_music = (value & 0x10) != 0;
      break;
    case 6: random_ = 1; break;
    default: break;
  }
}

void Dpc::Serialize(Archive& archive) {
  for (unsigned i = 0; i < fetchers_.size(); ++i) {
    Fetcher& fetcher = fetchers_[i];
    archive.Any(fetcher.top, fetcher.bottom, fetcher.flag);
    archive.Range(fetcher.counter, 0, kCounterMask);
    archive(fetcher.plays_music);
    archive.Require(i >= kFirstVoice || !fetcher.plays_music, "music where there is none");
  }
  archive.Any(random_, music_cycle_);
  archive.Range(music_fraction_, -1.0, 1.0);
}

}  // namespace envpool::atari2600
