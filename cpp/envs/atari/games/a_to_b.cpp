// The games from adventure to breakout.
#include <cstdint>

#include "atari/games/games.h"

namespace envpool::atari {

namespace {

void StepAdventure(const Memory& memory, Progress& progress) {
  const bool has_chalice = memory[0xb9] == 0x12;  // in the yellow castle
  const bool is_eaten = memory[0xe0] == 2;
  if (has_chalice) progress.reward = 1;
  progress.is_over = has_chalice || is_eaten;
}

// What the castles hold depends on how long the select switch is held.
void SetAdventureMode(Console& console, Progress&, int mode) {
  const auto is_mode = [&] { return ((console.Bytes()[0xdd] >> 1) & 3) == mode; };
  RepeatUntil(is_mode, [&] {
    console.PressSelect(2 + static_cast<int>(console.Random() % 256));
    console.Act(Action::kNoop);
  });
  console.PressReset();
}

Game Adventure() {
  return {.name = "adventure",
          .md5 = "4b27f5397c442d25f0c418ccdacf1926",
          .height = 250,
          .is_pal = true,
          .modes = {0, 1, 2},
          .difficulties = {0, 1, 2, 3},
          .lives = LivesRule::kAlwaysOne,
          .step = StepAdventure,
          .set_mode = SetAdventureMode};
}

void StepAirRaid(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xa8, 0xa9, 0xaa}));
  progress.is_over = memory[0xa7] == 0xff;
}

Game AirRaid() {
  return {.name = "air_raid",
          .md5 = "35be55426c1fec32dfb503b4f0651572",
          .height = 250,
          .is_pal = true,
          .actions = kNoop | kFire | kSideways | kSidewaysFire,
          .starting_actions = {Action::kFire},
          .modes = Range(1, 8),
          .step = StepAirRaid,
          .mode_switch = {.address = 0xaa, .frames = 10, .first_frames = 20}};
}

// Returns the digit that is shown by the picture a byte points to: there is one for nothing, too.
int AlienDigit(int byte) { return byte == 0x80 ? 0 : byte >> 3; }

void StepAlien(const Memory& memory, Progress& progress) {
  int score = 0;
  for (const int address : {0x83, 0x85, 0x87, 0x89, 0x8b}) {
    score = 10 * score + AlienDigit(memory[address]);
  }
  progress.SetScore(10 * score);
  progress.lives = memory[0xc0] & 15;
  progress.is_over = progress.lives == 0;
}

Game Alien() {
  return {.name = "alien",
          .md5 = "f1a0a23e6464d954e3a9579c4ccd01c8",
          .modes = {0, 1, 2, 3},
          .difficulties = {0, 1, 2, 3},
          .lives = LivesRule::kAlwaysCounted,
          .step = StepAlien,
          .mode_switch = {.address = 0x81, .frames = 1}};
}

void StepAmidar(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xdb, 0xda, 0xd9}));
  progress.lives = memory[0xd6] & 15;
  progress.is_over = memory[0xd6] == 0x80;
}

Game Amidar() {
  return {.name = "amidar",
          .md5 = "acb7750b4d0c4bd34969802a7deb2990",
          .power_on_difficulty = 3,
          .actions = kNoop | kFire | kStraight | kStraightFire,
          .difficulties = {0, 3},
          .lives = LivesRule::kCounted,
          .step = StepAmidar};
}

void StepAssault(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0x80, 0x81, 0x82}));
  progress.lives = memory[0xe5];
  progress.is_over = progress.lives == 0;
}

Game Assault() {
  return {.name = "assault",
          .md5 = "de78b3a064d374390ac0710f95edde92",
          .actions = kNoop | kFire | kUp | kSideways | kSidewaysFire,
          .lives = LivesRule::kCounted,
          .step = StepAssault};
}

void StepAsterix(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xde, 0xdf, 0xe0}));
  progress.lives = memory[0xd3] & 15;
  const bool is_dying = memory[0xc7] == 1;
  progress.is_over = is_dying && progress.lives == 1;
}

Game Asterix() {
  return {.name = "asterix",
          .md5 = "89a68746eff7f266bbf08de2483abe55",
          .cartridge = CartridgeKind::kF8,
          .actions = kWithoutButton,
          .starting_actions = {Action::kFire},
          .lives = LivesRule::kCounted,
          .step = StepAsterix};
}

void StepAsteroids(const Memory& memory, Progress& progress) {
  progress.SetScore(10 * memory.Decimal({0xbd, 0xbe}));
  if (progress.reward < 0) progress.reward += 100000;  // after 99990 comes 0
  progress.lives = memory[0xbc] >> 4;
  progress.is_over = progress.lives == 0;
}

std::vector<int> AsteroidsModes() {
  std::vector<int> modes = Range(0, 31);
  modes.push_back(0x80);  // for children
  return modes;
}

Game Asteroids() {
  return {.name = "asteroids",
          .md5 = "ccbd36746ed4525821a8083b0d6d2c2c",
          .cartridge = CartridgeKind::kF8,
          .has_hmove_blanks = false,
          .actions = kNoop | kFire | kStraight | kUpAslant | kStraightFire | kUpAslantFire,
          .modes = AsteroidsModes(),
          .difficulties = {0, 3},
          .lives = LivesRule::kCounted,
          .step = StepAsteroids,
          .mode_switch = {.address = 0x80}};
}

void StepAtlantis(const Memory& memory, Progress& progress) {
  progress.lives = memory[0xf1];
  progress.is_over = progress.lives == 0xff;
  if (progress.is_over) {
    progress.reward = 0;  // and the score stays what it was, whatever the bytes are now
  } else {
    progress.SetScore(100 * memory.Decimal({0xa1, 0xa3, 0xa2}));
  }
}

Game Atlantis() {
  return {.name = "atlantis",
          .md5 = "9ad36e699ef6f45d9eb6c4cf90475c9f",
          .actions = kNoop | kFire | kSidewaysFire,
          .modes = {0, 1, 2, 3},
          .lives = LivesRule::kCounted,
          .step = StepAtlantis,
          .mode_switch = {.address = 0x8d}};
}

void StepAtlantis2(const Memory& memory, Progress& progress) {
  progress.lives = memory[0xf1];
  progress.is_over = progress.lives == 0xff;
  if (progress.is_over) {
    progress.reward = 0;
  } else {
    progress.SetScore(memory.Decimal({0xa3, 0xa2, 0xa1}));
  }
}

Game Atlantis2() {
  return {.name = "atlantis2",
          .md5 = "826481f6fc53ea47c9f272f7050eedf7",
          .actions = kNoop | kFire | kSidewaysFire,
          .lives = LivesRule::kCounted,
          .step = StepAtlantis2};
}

// Returns the pieces in a place: the computer's if positive, the player's if negative.
int BackgammonPieces(const Memory& memory, int address) {
  return static_cast<std::int8_t>(memory[address]);
}

void StepBackgammon(const Memory& memory, Progress& progress) {
  constexpr int kPlayersOut = 0x80;
  constexpr int kComputersOut = 0x8e;
  // ALE: all sums are bytes, and wrap around while memory has no board in it.
  std::int8_t players = 0;
  std::int8_t computers = 0;
  for (int address = 0x81; address <= 0x9b; ++address) {
    if (address == kComputersOut) continue;
    const int pieces = BackgammonPieces(memory, address);
    std::int8_t& owners = pieces > 0 ? computers : players;
    owners = static_cast<std::int8_t>(owners + (pieces > 0 ? pieces : -pieces));
  }
  const int players_out = static_cast<std::int8_t>(-BackgammonPieces(memory, kPlayersOut));
  const int computers_out = BackgammonPieces(memory, kComputersOut);
  constexpr int kPieces = 15;
  if (players + players_out != kPieces || computers + computers_out != kPieces) return;
  if (players_out == kPieces) {
    progress.is_over = true;
    progress.reward = 1;
  } else if (computers_out == kPieces) {
    progress.is_over = true;
    progress.reward = -1;
  }
}

Game Backgammon() {
  return {.name = "backgammon",
          .md5 = "8556b42aa05f94bc29ff39c39b11bff4",
          .controllers = Controllers::kPaddles,
          .most_paddle = 1000000,
          .actions = kFire | kSideways,
          .difficulties = {3},
          .step = StepBackgammon,
          .mode_switch = {.address = 0xdc, .zero = 3, .frames = 1},
          .two_players = {.modes = {4}, .mode_switch = {.address = 0xdc, .frames = 1}}};
}

void StepBankHeist(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xd8, 0xd9, 0xda}));
  progress.lives = memory[0xd5];
  const bool is_dying = memory[0xce] == 1;
  progress.is_over = is_dying && progress.lives == 0;
}

Game BankHeist() {
  return {.name = "bank_heist",
          .md5 = "00ce0bdd43aed84a983bef38fe7f5ee3",
          .modes = Range(0, 28, 4),
          .difficulties = {0, 1, 2, 3},
          .lives = LivesRule::kCounted,
          .step = StepBankHeist,
          .mode_switch = {.address = 0x80, .frames = 1}};
}

void StepBasicMath(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0x84}));
  progress.is_over = memory.Decimal({0x86}) != 0;
}

Game BasicMath() {
  return {.name = "basic_math",
          .md5 = "819aeeb9a2e11deb54e6de334f843894",
          .cartridge = CartridgeKind::k2K,
          .actions = kNoop | kFire | kStraight,
          .modes = {5, 6, 7, 8},
          .difficulties = {0, 2, 3},
          .step = StepBasicMath,
          .mode_switch = {.address = 0xc5}};
}

void StepBattleZone(const Memory& memory, Progress& progress) {
  const int thousands = ShownDigit(Memory::UpperDigit(memory[0x9d])) +
                        10 * ShownDigit(Memory::LowerDigit(memory[0x9e])) +
                        100 * ShownDigit(Memory::UpperDigit(memory[0x9e]));
  progress.SetScore(1000 * thousands);
  progress.lives = memory[0xba] & 15;
  progress.is_over = progress.lives == 0;
}

Game BattleZone() {
  return {.name = "battle_zone",
          .md5 = "41f252a66c6301f1e8ab3612c19bc5d4",
          .cartridge = CartridgeKind::kF8,
          .has_hmove_blanks = false,
          .modes = {1, 2, 3},
          .lives = LivesRule::kCounted,
          .step = StepBattleZone,
          .mode_switch = {.address = 0xa1}};
}

void StepBeamRider(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0x8b, 0x8a, 0x89}));
  const int lives = memory[0x85] + 1;
  // A life is lost only when the ship has exploded.
  if (lives != progress.lives - 1 || memory[0x8c] == 1) progress.lives = lives;
  progress.is_over = memory[0x85] == 0xff;
}

void StartBeamRider(Progress& progress) { progress = {.lives = 3}; }

Game BeamRider() {
  return {.name = "beam_rider",
          .md5 = "79ab4123a83dc11d468fb2108ea09e2e",
          .cartridge = CartridgeKind::kF8,
          .actions = kNoop | kFire | kUp | kSideways | kUpAslant | kSidewaysFire,
          .starting_actions = {Action::kRight},
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepBeamRider,
          .start = StartBeamRider};
}

void StepBerzerk(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xdd, 0xde, 0xdf}));
  progress.lives = memory[0xda] + 1;
  progress.is_over = memory[0xda] == 0xff;
}

void SetBerzerkMode(Console& console, Progress&, int mode) {
  for (int frame = 0; frame < 20; ++frame) console.Act(Action::kNoop);
  SelectUntil(console, 2, [&] { return console.Bytes()[0x80] == mode; });
  console.PressReset();
}

Game Berzerk() {
  return {.name = "berzerk",
          .md5 = "136f75c4dd02c29283752b7e5799f978",
          .modes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 18},
          .lives = LivesRule::kCounted,
          .step = StepBerzerk,
          .set_mode = SetBerzerkMode};
}

void StepBlackjack(const Memory& memory, Progress& progress) {
  const bool is_bust = memory[0x86] == 0x0b && memory[0x89] == 0xbb;
  progress.SetScore(is_bust ? 0 : memory.Decimal({0x86, 0x89}));
  progress.is_over = is_bust || progress.score >= 1000;
}

Game Blackjack() {
  return {.name = "blackjack",
          .md5 = "0a981c03204ac2b278ba392674682560",
          .cartridge = CartridgeKind::k2K,
          .controllers = Controllers::kPaddles,
          .most_paddle = 795000,
          .actions = kNoop | kFire | kUp | kDown,
          .difficulties = {0, 1, 2, 3},
          .step = StepBlackjack};
}

void StepBowling(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xa6, 0xa1}));
  constexpr int kLastRound = 0x10;
  progress.is_over = memory[0xa4] > kLastRound;
}

Game Bowling() {
  return {.name = "bowling",
          .md5 = "c9b7afad3bfd922e006a6bfc1d4f3fe7",
          .cartridge = CartridgeKind::k2K,
          .actions = kNoop | kFire | kUp | kDown | kUpFire | kDownFire,
          .modes = {0, 2, 4},
          .difficulties = {0, 1},
          .lives = LivesRule::kNone,
          .step = StepBowling,
          .mode_switch = {.address = 0x82}};
}

void StepBoxing(const Memory& memory, Progress& progress) {
  constexpr int kKnockout = 0xc0;
  const auto points = [&](int address) {
    return memory[address] == kKnockout ? 100 : memory.Decimal({address});
  };
  const int player = points(0x92);
  const int computer = points(0x93);
  progress.SetScore(player - computer);
  const bool is_time_up = memory[0x90] >> 4 == 0 && memory.Decimal({0x91}) == 0;
  progress.is_over = player == 100 || computer == 100 || is_time_up;
}

Game Boxing() {
  return {.name = "boxing",
          .md5 = "c3ef5c4653212088eda54dc91d787870",
          .cartridge = CartridgeKind::k2K,
          .difficulties = {0, 1, 2, 3},
          .lives = LivesRule::kNone,
          .step = StepBoxing,
          .two_players = {.modes = {2}, .mode_switch = {.address = 0x92, .frames = 1}}};
}

void StepBreakout(const Memory& memory, Progress& progress) {
  progress.SetScore(100 * Memory::LowerDigit(memory[0xcc]) + memory.Decimal({0xcd}));
  progress.lives = memory[0xb9];
  int& has_started = progress.remembered[0];
  if (progress.lives == 5) has_started = 1;
  progress.is_over = has_started != 0 && progress.lives == 0;
}

Game Breakout() {
  return {.name = "breakout",
          .md5 = "f34f08e5eb96e500e851a80be3277a56",
          .cartridge = CartridgeKind::k2K,
          .controllers = Controllers::kPaddles,
          .actions = kNoop | kFire | kSideways,
          .modes = Range(0, 44, 4),
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepBreakout,
          .mode_switch = {.address = 0xb2, .frames = 1}};
}

}  // namespace

std::vector<Game> GamesAToB() {
  return {Adventure(), AirRaid(),   Alien(),      Amidar(),    Assault(),
          Asterix(),   Asteroids(), Atlantis(),   Atlantis2(), Backgammon(),
          BankHeist(), BasicMath(), BattleZone(), BeamRider(), Berzerk(),
          Blackjack(), Bowling(),   Boxing(),     Breakout()};
}

}  // namespace envpool::atari
