// The games from seaquest to surround.
#include "atari/games/games.h"

namespace envpool::atari {

namespace {

void StepSeaquest(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xb8, 0xb9, 0xba}));
  progress.lives = memory[0xbb] + 1;
  progress.is_over = memory[0xa3] != 0;
}

Game Seaquest() {
  return {.name = "seaquest",
          .md5 = "240bfbac5163af4df5ae713985386f92",
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepSeaquest};
}

void StepSirLancelot(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0x9e, 0x9f, 0xa0}));
  progress.lives = memory[0xa9];
  progress.is_over = progress.lives == 0 && memory[0xa7] == 0xa0;
}

Game SirLancelot() {
  return {.name = "sir_lancelot",
          .md5 = "dd0cbe5351551a538414fb9e37fc56e8",
          .cartridge = CartridgeKind::kF8,
          .height = 250,
          .is_pal = true,
          .actions = kNoop | kFire | kSideways | kSidewaysFire,
          .starting_actions = {Action::kResetSwitch, Action::kLeft},
          .lives = LivesRule::kCounted,
          .step = StepSirLancelot};
}

void StepSkiing(const Memory& memory, Progress& progress) {
  progress.SetScore(-(6000 * memory[0xe8] + memory.Decimal({0xe9, 0xea})));
  progress.is_over = memory[0x91] == 0xff;
}

Game Skiing() {
  return {.name = "skiing",
          .md5 = "b76fbadc8ffb1f83e2ca08b6fb4d6c9f",
          .cartridge = CartridgeKind::k2K,
          .actions = kNoop | kSideways,
          .legal_actions = kWithoutButton,
          .starting_actions = Times(16, Action::kDown),
          .lives = LivesRule::kNone,
          .step = StepSkiing};
}

void StepSolaris(const Memory& memory, Progress& progress) {
  progress.SetScore(10 * memory.Decimal({0xde, 0xdd, 0xdc}));
  progress.lives = memory[0xd9] & 15;
  progress.is_over = memory[0xd9] == 0;
}

Game Solaris() {
  return {.name = "solaris",
          .md5 = "e72eb8d4410152bdcb69e7fba327b420",
          .cartridge = CartridgeKind::kF6,
          .lives = LivesRule::kCounted,
          .step = StepSolaris};
}

void StepSpaceInvaders(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xe6, 0xe8}));
  if (progress.reward < 0) progress.reward += 10000;  // after 9999 comes 0
  progress.lives = memory[0xc9];
  progress.is_over = progress.lives == 0 || (memory[0x98] & 0x80) != 0;
}

void StepSpaceInvadersOfTwo(const Memory& memory, Progress& progress) {
  StepSpaceInvaders(memory, progress);
  progress.SetSecondScore(memory.Decimal({0xe7, 0xe9}));
  if (progress.second_reward < 0) progress.second_reward += 10000;
  progress.lives = progress.second_lives = memory[0xc9] - 1;  // they share them
}

Game SpaceInvaders() {
  return {.name = "space_invaders",
          .md5 = "72ffbef6504b75e69ee1045af9075f66",
          .actions = kNoop | kFire | kSideways | kSidewaysFire,
          .modes = Range(0, 15),
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepSpaceInvaders,
          .mode_switch = {.address = 0xdc},
          .two_players = {.modes = Range(33, 64),
                          .step = StepSpaceInvadersOfTwo,
                          .mode_switch = {.address = 0xdc, .zero = -1},
                          .has_lives = true}};
}

void StepSpaceWar(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xa7}));
  progress.is_over = progress.score == 10 || memory[0x80] == 0;
}

void StepSpaceWarOfTwo(const Memory& memory, Progress& progress) {
  const int first = memory.Decimal({0xa7});
  const int second = memory.Decimal({0xa8});
  progress.SetScore(first - second);
  progress.second_reward = -progress.reward;
  progress.is_over = first == 10 || second == 10 || memory[0x80] == 0;
}

void SetSpaceWarMode(Console& console, Progress&, int mode) {
  SelectUntil(console, 2, [&] { return console.Bytes().Decimal({0xa7}) == mode; });
  console.PressReset();
}

Game SpaceWar() {
  return {.name = "space_war",
          .md5 = "b702641d698c60bcdc922dbd8c9dd49c",
          .cartridge = CartridgeKind::k2K,
          .height = 250,
          .is_pal = true,
          .modes = Range(6, 17),
          .step = StepSpaceWar,
          .set_mode = SetSpaceWarMode,
          .two_players = {
              .modes = Range(1, 5), .step = StepSpaceWarOfTwo, .set_mode = SetSpaceWarMode}};
}

void StepStarGunner(const Memory& memory, Progress& progress) {
  progress.SetScore(100 * LowerDigits(memory, 0x83, 4));
  const int lives_byte = memory[0x87];
  int& has_started = progress.remembered[0];
  if (lives_byte == 5) has_started = 1;
  progress.lives = has_started != 0 ? lives_byte & 15 : 5;
  progress.is_over = lives_byte == 0;
}

Game StarGunner() {
  return {.name = "star_gunner",
          .md5 = "a3c1c70024d7aabb41381adbfb6d3b25",
          .modes = {0, 1, 2, 3},
          .lives = LivesRule::kCounted,
          .step = StepStarGunner,
          .mode_switch = {.address = 0xf4, .frames = 15}};
}

constexpr int kMostSeconds = 99 * 60 + 59;

void StepSuperman(const Memory& memory, Progress& progress) {
  const int seconds = 60 * Memory::TwoDigits(memory[0xe3]) + Memory::TwoDigits(memory[0xe2]);
  const bool is_clark_kent = (memory[0x9f] & 0x40) != 0;
  const bool is_in_daily_planet = memory[0x80] == 0xac && memory[0x81] == 0xf2;
  progress.is_over = is_clark_kent && is_in_daily_planet;
  progress.reward = progress.is_over ? kMostSeconds - seconds : 0;
}

Game Superman() {
  return {.name = "superman",
          .md5 = "a9531c763077464307086ec9a1fd057d",
          .difficulties = {0, 1, 2, 3},
          .step = StepSuperman};
}

void StepSurround(const Memory& memory, Progress& progress) {
  const int computer = memory.Decimal({0xf6});
  const int player = memory.Decimal({0xf7});
  progress.SetScore(player - computer);
  progress.is_over = player == 10 || computer == 10;
}

Game Surround() {
  return {.name = "surround",
          .md5 = "4d7517ae69f95cfbc053be01312b7dba",
          .cartridge = CartridgeKind::k2K,
          .controllers = Controllers::kSwappedJoysticks,
          .actions = kNoop | kStraight,
          .modes = {0, 2},
          .difficulties = {0, 1, 2, 3},
          .step = StepSurround,
          .mode_switch = {.address = 0xf9, .zero = 1},
          .two_players = {.modes = {1, 5, 6, 7, 8, 9, 10, 11, 12},
                          .mode_switch = {.address = 0xf9, .zero = -1}}};
}

}  // namespace

std::vector<Game> GamesS() {
  return {Seaquest(), SirLancelot(), Skiing(),   Solaris(), SpaceInvaders(),
          SpaceWar(), StarGunner(),  Superman(), Surround()};
}

}  // namespace envpool::atari
