// The games from fishing_derby to journey_escape.
#include <algorithm>
#include <bit>

#include "atari/games/games.h"

namespace envpool::atari {

namespace {

void StepFishingDerby(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xbd}) - memory.Decimal({0xbe}));
  progress.is_over = memory[0xbd] == 0x99 || memory[0xbe] == 0x99;
}

Game FishingDerby() {
  return {.name = "fishing_derby",
          .md5 = "b8865f05676e64f3bec72b9defdacfa7",
          .cartridge = CartridgeKind::k2K,
          .difficulties = {0, 1, 2, 3},
          .lives = LivesRule::kNone,
          .step = StepFishingDerby,
          .two_players = {.modes = {2}, .mode_switch = {.address = 0x80, .zero = -1, .frames = 1}}};
}

void StepFlagCapture(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xea}));
  const int seconds_left = memory.Decimal({0xeb});
  progress.is_over = seconds_left == 0;
}

void StepFlagCaptureOfTwo(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xab}));
  progress.SetSecondScore(memory.Decimal({0xeb}));
  progress.is_over = progress.score == 99 || progress.second_score == 99;
}

Game FlagCapture() {
  return {.name = "flag_capture",
          .md5 = "30512e0e83903fc05541d2f6a6a62654",
          .cartridge = CartridgeKind::k2K,
          .modes = {8, 9, 10},
          .step = StepFlagCapture,
          .mode_switch = {.address = 0xd6},
          .two_players = {.modes = {1, 2, 3, 4},
                          .step = StepFlagCaptureOfTwo,
                          .starting_actions = Times(10, Action::kFire),
                          .mode_switch = {.address = 0xd6, .frames = 10}}};
}

void StepFreeway(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xe7}));
  progress.reward = std::clamp(progress.reward, 0, 1);
  progress.is_over = memory[0x96] == 1;
}

Game Freeway() {
  return {.name = "freeway",
          .md5 = "8e0ab801b1705a740b476b7f588c6d16",
          .cartridge = CartridgeKind::k2K,
          .actions = kNoop | kUp | kDown,
          .modes = Range(0, 7),
          .difficulties = {0, 1},
          .lives = LivesRule::kNone,
          .step = StepFreeway,
          .mode_switch = {.address = 0x80, .frames = 1}};
}

void StepFrogger(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xcc, 0xce}));
  progress.lives = memory[0xd0];
  progress.is_over = progress.lives == 0xff;
}

Game Frogger() {
  return {.name = "frogger",
          .md5 = "081e2c114c9c20b61acf25fc95c71bf4",
          .actions = kNoop | kStraight,
          .modes = {0, 1, 2},
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepFrogger,
          .mode_switch = {.address = 0xdd, .zero = 1, .step = 2}};
}

void StepFrostbite(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xc8, 0xc9, 0xca}));
  const int spare_lives = memory[0xcc] & 15;
  const bool has_fallen = (memory[0xf1] & 0x80) != 0;
  progress.lives = spare_lives + 1;
  progress.is_over = spare_lives == 0 && has_fallen;
}

Game Frostbite() {
  return {.name = "frostbite",
          .md5 = "4ca73eb959299471788f0b685c3ba0b5",
          .modes = {0, 2},
          .lives = LivesRule::kCounted,
          .step = StepFrostbite,
          .mode_switch = {.address = 0x80, .frames = 1}};
}

void StepGalaxian(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xac, 0xad, 0xae}));
  if (progress.reward < 0) progress.reward += 1000000;  // after 999999 comes 0
  progress.lives = memory[0xb9] + 1;
  progress.is_over = (memory[0xbf] & 0x80) != 0;
}

Game Galaxian() {
  return {.name = "galaxian",
          .md5 = "211774f4c5739042618be8ff67351177",
          .cartridge = CartridgeKind::kF8,
          .actions = kNoop | kFire | kSideways | kSidewaysFire,
          .modes = Range(1, 9),
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepGalaxian,
          .mode_switch = {.address = 0xb3, .frames = 1}};
}

void StepGopher(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xb0, 0xb1, 0xb2}));
  const auto carrots = static_cast<unsigned>(memory[0xb4] & 7);  // a bit for each
  progress.lives = std::popcount(carrots);
  progress.is_over = carrots == 0;
}

void SetGopherMode(Console& console, Progress&, int mode) {
  console.PressReset();
  SelectUntil(console, 5, [&] { return console.Bytes()[0xd3] == mode; });
  console.PressReset();
}

Game Gopher() {
  return {.name = "gopher",
          .md5 = "c16c79aad6272baffb8aae9a7fff0864",
          .actions = kNoop | kFire | kUp | kSideways | kUpFire | kSidewaysFire,
          .starting_actions = {Action::kFire},
          .modes = {0, 2},
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepGopher,
          .set_mode = SetGopherMode};
}

void StepGravitar(const Memory& memory, Progress& progress) {
  constexpr int kTitle = 0;
  constexpr int kEnd = 1;
  progress.SetScore(memory.Decimal({0x87, 0x88, 0x89}));
  const int screen = memory[0x81];
  progress.lives = screen == kTitle ? 6 : memory[0x84] + 1;
  progress.is_over = screen == kEnd;
}

Game Gravitar() {
  return {.name = "gravitar",
          .md5 = "8ac18076d01a6b63acf6e2cab4968940",
          .cartridge = CartridgeKind::kF8,
          .starting_actions = Times(16, Action::kFire),
          .modes = {0, 1, 2, 3, 4},
          .lives = LivesRule::kCounted,
          .step = StepGravitar,
          .mode_switch = {.address = 0x80, .frames = 10}};
}

// A game ends with each word that is found or not.
void StepHangman(const Memory& memory, Progress& progress) {
  const int player = memory.Decimal({0xeb});
  const int computer = memory.Decimal({0xec});
  progress.SetScore(player - computer);
  int& timer = progress.remembered[0];
  const bool is_time_up = timer == 255 && memory[0xf1] == 0;
  timer = memory[0xf1];
  progress.is_over = progress.reward != 0 || is_time_up;
}

Game Hangman() {
  return {.name = "hangman",
          .md5 = "f16c709df0a6c52f47ff52b9d95b7d8d",
          .modes = {0, 1, 2, 3},
          .difficulties = {0, 1},
          .step = StepHangman,
          .mode_switch = {.address = 0xee}};
}

void StepHauntedHouse(const Memory& memory, Progress& progress) {
  const bool has_urn = memory[0x99] == 0x44;  // and has left the house with it
  const int matches = memory.Decimal({0x82});
  int& matches_before = progress.remembered[0];
  progress.reward = (has_urn ? 100 : 0) - (matches != matches_before ? 1 : 0);
  matches_before = matches;
  progress.lives = memory[0x96];
  progress.is_over = progress.lives == 0 || has_urn;
}

Game HauntedHouse() {
  return {.name = "haunted_house",
          .md5 = "f0a6e99f5875891246c3dbecbf2d2cea",
          .modes = Range(0, 8),
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepHauntedHouse,
          .mode_switch = {.address = 0xcc}};
}

void StepHero(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xb7, 0xb8, 0xb9}));
  progress.lives = memory[0xb3];
  progress.is_over = progress.lives == 0;
}

Game Hero() {
  return {.name = "hero",
          .md5 = "fca4a5be1251927027f2c24774a02160",
          .cartridge = CartridgeKind::kF8,
          .modes = {0, 1, 2, 3, 4},
          .lives = LivesRule::kCounted,
          .step = StepHero,
          .mode_switch = {.address = 0x80, .frames = 1}};
}

void StepHumanCannonball(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xb6}));
  const int misses = memory.Decimal({0xb7});
  progress.is_over = progress.score == 7 || misses == 7;
}

void SetHumanCannonballMode(Console& console, Progress&, int mode) {
  SelectUntil(console, 2, [&] {
    const bool has_one_player = console.Bytes()[0xb7] == 1;
    return has_one_player && console.Bytes()[0xb6] == mode + 1;
  });
  console.PressReset();
}

Game HumanCannonball() {
  return {.name = "human_cannonball",
          .md5 = "7972e5101fa548b952d852db24ad6060",
          .cartridge = CartridgeKind::k2K,
          .modes = Range(0, 7),
          .difficulties = {0, 1},
          .step = StepHumanCannonball,
          .set_mode = SetHumanCannonballMode};
}

void StepIceHockey(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0x8a}) - memory.Decimal({0x8b}));
  progress.reward = std::min(progress.reward, 1);
  const bool is_time_up = memory[0x87] == 0 && memory[0x86] == 0;
  progress.is_over = is_time_up;
}

void StepIceHockeyOfTwo(const Memory& memory, Progress& progress) {
  StepIceHockey(memory, progress);
  progress.SetSecondScore(-progress.score);
  progress.reward = -progress.second_reward;  // not 1 at most
}

Game IceHockey() {
  return {.name = "ice_hockey",
          .md5 = "a4c08c4994eb9d24fb78be1793e82e26",
          .modes = {0, 2},
          .difficulties = {0, 1, 2, 3},
          .lives = LivesRule::kNone,
          .step = StepIceHockey,
          .mode_switch = {.address = 0x80},
          .two_players = {
              .modes = {1, 3}, .step = StepIceHockeyOfTwo, .mode_switch = {.address = 0x80}}};
}

void StepJamesbond(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xde, 0xdd, 0xdc}));
  const int spare_lives = memory[0x86] & 15;
  progress.lives = spare_lives + 1;
  progress.is_over = spare_lives == 0 && memory[0x8c] == 0x68;
}

void SetJamesbondMode(Console& console, Progress&, int mode) {
  SelectUntil(console, 20, [&] {
    const int shown = console.Bytes()[0x8c];
    return shown == mode || shown == mode + 0x48;
  });
  console.PressReset();
}

Game Jamesbond() {
  return {.name = "jamesbond",
          .md5 = "e51030251e440cffaab1ac63438b44ae",
          .cartridge = CartridgeKind::kE0,
          .modes = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepJamesbond,
          .set_mode = SetJamesbondMode};
}

void StepJourneyEscape(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0x90, 0x91, 0x92}));
  if (progress.reward == 50000) progress.reward = 0;  // what the game begins with
  const bool is_time_up = memory[0x95] == 0 && memory[0x96] == 0;
  progress.is_over = is_time_up;
}

Game JourneyEscape() {
  return {.name = "journey_escape",
          .md5 = "718ae62c70af4e5fd8e932fee216948a",
          .height = 230,
          .actions = kWithoutButton | kDownFire | kSidewaysFire | kAslantFire,
          .starting_actions = {Action::kFire},
          .difficulties = {0, 1},
          .lives = LivesRule::kNone,
          .step = StepJourneyEscape};
}

}  // namespace

std::vector<Game> GamesFToJ() {
  return {FishingDerby(), FlagCapture(),     Freeway(),   Frogger(),   Frostbite(),
          Galaxian(),     Gopher(),          Gravitar(),  Hangman(),   HauntedHouse(),
          Hero(),         HumanCannonball(), IceHockey(), Jamesbond(), JourneyEscape()};
}

}  // namespace envpool::atari
