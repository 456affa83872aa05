// The games from kaboom to ms_pacman.
#include <algorithm>
#include <array>
#include <ranges>

#include "atari/games/games.h"

namespace envpool::atari {

namespace {

// True if the bin is full: a place holds a block unless its byte is one of five.
bool HasFullBin(const Memory& memory) {
  constexpr std::array kEmpty = {0, 2, 6, 10, 14};
  for (int place = 0; place < 25; ++place) {
    if (std::ranges::find(kEmpty, memory[0xb3 + place]) != kEmpty.end()) return false;
  }
  return true;
}

void StepKlax(const Memory& memory, Progress& progress) {
  int score = 0;
  for (const int address : {0xf0b6, 0xf0b5, 0xf0b4}) {
    score = 100 * score + Memory::TwoDigits(memory.Cartridge(address));
  }
  progress.SetScore(score);
  const int misses = memory.Cartridge(0xf0ee);
  const int most_misses = memory.Cartridge(0xf0e9);
  const bool is_playing = memory[0xa8] == 4;
  const bool is_last_level = memory.Cartridge(0xf09d) == 0x99;
  progress.is_over = (most_misses > 0 && misses == most_misses) ||
                     (is_playing && HasFullBin(memory)) || is_last_level;
}

void SetKlaxMode(Console& console, Progress&, int mode) {
  SelectUntil(console, 2, [&] { return console.Bytes().Cartridge(0xf0ea) == mode; });
  console.PressReset();
}

Game Klax() {
  return {.name = "klax",
          .md5 = "eed9eaf1a0b6a2b9bc4c8032cb43e3fb",
          .cartridge = CartridgeKind::kF6Sc,
          .height = 250,
          .is_pal = true,
          .starting_actions = {Action::kFire, Action::kNoop},
          .modes = {0, 1, 2},
          .step = StepKlax,
          .set_mode = SetKlaxMode};
}

}  // namespace

std::vector<Game> GamesKToM() { return {Klax()}; }

}  // namespace envpool::atari
