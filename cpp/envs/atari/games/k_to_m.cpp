// The games from kaboom to ms_pacman.
#include <algorithm>
#include <array>

#include "atari/games/games.h"

namespace envpool::atari {

namespace {

void StepKaboom(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xa3, 0xa4, 0xa5}));
  progress.is_over = memory[0xa1] == 0 || progress.score == 999999;
}

Game Kaboom() {
  return {.name = "kaboom",
          .md5 = "5428cdfada281c569c74c7308c7f2c26",
          .cartridge = CartridgeKind::k2K,
          .controllers = Controllers::kPaddles,
          .actions = kNoop | kFire | kSideways,
          .starting_actions = {Action::kFire},
          .step = StepKaboom};
}

void StepKangaroo(const Memory& memory, Progress& progress) {
  progress.SetScore(100 * memory.Decimal({0xa7, 0xa8}));
  progress.lives = (memory[0xad] & 7) + 1;
  progress.is_over = memory[0xad] == 0xff;
}

Game Kangaroo() {
  return {.name = "kangaroo",
          .md5 = "4326edb70ff20d0ee5ba58fa5cb09d60",
          .cartridge = CartridgeKind::kF8,
          .modes = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepKangaroo,
          .mode_switch = {.address = 0xba, .mask = 0x7f}};
}

void StepKeystoneKapers(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0x9b, 0x9c}));
  progress.lives = memory[0x96];
  progress.is_over = progress.lives == 0 && memory[0x88] == 0;
}

Game KeystoneKapers() {
  return {.name = "keystone_kapers",
          .md5 = "6c1f3f2e359dbf55df462ccbcdd2f6bf",
          .height = 250,
          .is_pal = true,
          .actions = kWithoutButton | kFire | kStraightFire,
          .starting_actions = {Action::kResetSwitch},
          .lives = LivesRule::kCounted,
          .step = StepKeystoneKapers};
}

void StepKingKong(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0x82, 0x83}));
  progress.lives = memory[0xee];
  progress.is_over = progress.lives == 0;
}

Game KingKong() {
  return {.name = "king_kong",
          .md5 = "0dd4c69b5f9a7ae96a7a08329496779a",
          .height = 250,
          .is_pal = true,
          .actions = kNoop | kFire | kStraight,
          .modes = {0, 1, 2, 3},
          .lives = LivesRule::kCounted,
          .step = StepKingKong,
          .mode_switch = {.address = 0xec, .step = 2}};
}

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
          .cartridge = CartridgeKind::kF6SC,
          .height = 250,
          .is_pal = true,
          .starting_actions = {Action::kFire, Action::kNoop},
          .modes = {0, 1, 2},
          .step = StepKlax,
          .set_mode = SetKlaxMode};
}

void StepKoolaid(const Memory& memory, Progress& progress) {
  progress.SetScore(100 * memory.Decimal({0x80, 0x81}));
  progress.is_over = memory[0xd1] == 0x80;
}

Game Koolaid() {
  return {.name = "koolaid",
          .md5 = "534e23210dd1993c828d944c6ac4d9fb",
          .actions = kWithoutButton,
          .lives = LivesRule::kNone,
          .step = StepKoolaid};
}

void StepKrull(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0x9c, 0x9d, 0x9e}));
  progress.lives = (memory[0x9f] & 7) + 1;
  progress.is_over = memory[0x9f] == 0 && memory[0xa2] == 3 && memory[0x80] == 0x80;
}

Game Krull() {
  return {.name = "krull",
          .md5 = "4baada22435320d185c95b7dd2bcdb24",
          .cartridge = CartridgeKind::kF8,
          .lives = LivesRule::kCounted,
          .step = StepKrull};
}

void StepKungFuMaster(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0x98, 0x99, 0x9a}));
  progress.lives = (memory[0x9d] & 7) + 1;
  progress.is_over = memory[0x9d] == 0xff;
}

Game KungFuMaster() {
  return {.name = "kung_fu_master",
          .md5 = "5b92a93b23523ff16e2789b820e2a4c5",
          .cartridge = CartridgeKind::kF8,
          .actions = kNoop | kStraight | kDownAslant | kSidewaysFire | kDownFire | kAslantFire,
          .lives = LivesRule::kCounted,
          .step = StepKungFuMaster};
}

void StepLaserGates(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0x80, 0x81, 0x82}));
  progress.is_over = memory[0x83] == 0;
}

Game LaserGates() {
  return {.name = "laser_gates",
          .md5 = "8e4cd60d93fcde8065c1a2b972a26377",
          .height = 250,
          .is_pal = true,
          .starting_actions = {Action::kResetSwitch},
          .lives = LivesRule::kNone,
          .step = StepLaserGates};
}

void StepLostLuggage(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0x94, 0x95, 0x96}));
  progress.lives = memory[0xca];
  progress.is_over =
      progress.lives == 0 && memory[0xc8] == 10 && memory[0xa5] == 0 && memory[0xa9] == 0;
}

Game LostLuggage() {
  return {.name = "lost_luggage",
          .md5 = "2d76c5d1aad506442b9e9fb67765e051",
          .actions = kWithoutButton,
          .legal_actions = kWithoutButton,
          .starting_actions = {Action::kFire},
          .modes = {0, 1},
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepLostLuggage,
          .mode_switch = {.address = 0x94, .zero = 1, .step = 3}};
}

void StepMarioBros(const Memory& memory, Progress& progress) {
  progress.SetScore(100 * memory.Decimal({0x89, 0x8a}));
  progress.lives = memory[0x87];
  progress.is_over = progress.lives == 0;
}

void StepMarioBrosOfTwo(const Memory& memory, Progress& progress) {
  progress.SetScore(100 * memory.Decimal({0x89, 0x8a}));
  progress.SetSecondScore(100 * memory.Decimal({0x8b, 0x8c}));
  progress.lives = memory[0x87] - 1;
  progress.second_lives = memory[0x88] - 1;
  progress.is_over = progress.lives == -1 && progress.second_lives == -1;
}

Game MarioBros() {
  return {.name = "mario_bros",
          .md5 = "e908611d99890733be31733a979c62d8",
          .cartridge = CartridgeKind::kF8,
          .starting_actions = Join({Times(10, Action::kNoop), Times(7, Action::kFire)}),
          .modes = {0, 2, 4, 6},
          .lives = LivesRule::kCounted,
          .step = StepMarioBros,
          .mode_switch = {.address = 0x80, .frames = 5},
          .two_players = {.modes = {2, 4, 6, 8},
                          .step = StepMarioBrosOfTwo,
                          .mode_switch = {.address = 0x80, .zero = -1, .frames = 5},
                          .has_lives = true}};
}

void StepMiniatureGolf(const Memory& memory, Progress& progress) {
  int& hole = progress.remembered[0];
  int& par = progress.remembered[1];
  int& strokes_before = progress.remembered[2];
  int& shown = progress.remembered[3];
  int& shown_at_start = progress.remembered[4];
  const int left = Memory::TwoDigits(memory[0x87]);
  const int right = Memory::TwoDigits(memory[0x88]);
  const int new_hole = Memory::TwoDigits(memory[0xaf]);
  progress.reward = 0;
  if (new_hole != hole) {
    const int strokes = strokes_before + shown - shown_at_start;
    if (strokes > 0) progress.reward = par - strokes;
    if (new_hole == 0) progress.is_over = true;
    hole = new_hole;
    strokes_before = 0;
    shown_at_start = shown;
  }
  if (right != 0) {
    par = right;
  } else {
    if (left < shown) strokes_before += shown;
    shown = left;
  }
}

Game MiniatureGolf() {
  return {.name = "miniature_golf",
          .md5 = "df62a658496ac98a3aa4a6ee5719c251",
          .cartridge = CartridgeKind::k2K,
          .difficulties = {0, 1},
          .step = StepMiniatureGolf};
}

void StepMontezumaRevenge(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0x93, 0x94, 0x95}));
  progress.lives = (memory[0xba] & 7) + 1;
  progress.is_over = memory[0xba] == 0 && memory[0xfe] == 0x60;
}

Game MontezumaRevenge() {
  return {.name = "montezuma_revenge",
          .md5 = "3347a6dd59049b15a38394aa2dafa585",
          .cartridge = CartridgeKind::kE0,
          .lives = LivesRule::kCounted,
          .step = StepMontezumaRevenge};
}

void StepMrDo(const Memory& memory, Progress& progress) {
  progress.SetScore(10 * memory.Decimal({0x83, 0x82}));
  progress.lives = memory[0xdb];
  progress.is_over = memory[0xda] == 0x40;
}

Game MrDo() {
  return {.name = "mr_do",
          .md5 = "aa7bb54d2c189a31bb1fa20099e42859",
          .cartridge = CartridgeKind::kF8,
          .height = 250,
          .is_pal = true,
          .actions = kNoop | kFire | kStraight | kStraightFire,
          .starting_actions = {Action::kFire},
          .modes = {0, 1, 2, 3},
          .lives = LivesRule::kCounted,
          .step = StepMrDo,
          .mode_switch = {.address = 0x80, .frames = 5}};
}

void StepMsPacman(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xfa, 0xf9, 0xf8}));
  const int spare_lives = memory[0xfb] & 15;
  progress.lives = (spare_lives & 7) + 1;
  progress.is_over = spare_lives == 0 && memory[0xa7] == 0x53;
}

void SetMsPacmanMode(Console& console, Progress&, int mode) {
  const int maze = mode == 0 ? 1 : mode;
  const int is_standard = mode == 0 ? 1 : 0;
  SelectUntil(console, 10, [&] {
    const Memory memory = console.Bytes();
    return memory[0x99] == maze && memory[0xa1] == is_standard;
  });
  console.PressReset();
}

Game MsPacman() {
  return {.name = "ms_pacman",
          .md5 = "87e79cd41ce136fd4f72cc6e2c161bee",
          .cartridge = CartridgeKind::kF8,
          .has_hmove_blanks = false,
          .actions = kWithoutButton,
          .modes = {0, 1, 2, 3},
          .lives = LivesRule::kCounted,
          .step = StepMsPacman,
          .set_mode = SetMsPacmanMode};
}

}  // namespace

std::vector<Game> GamesKToM() {
  return {Kaboom(),    Kangaroo(),      KeystoneKapers(),   KingKong(),   Klax(),
          Koolaid(),   Krull(),         KungFuMaster(),     LaserGates(), LostLuggage(),
          MarioBros(), MiniatureGolf(), MontezumaRevenge(), MrDo(),       MsPacman()};
}

}  // namespace envpool::atari
