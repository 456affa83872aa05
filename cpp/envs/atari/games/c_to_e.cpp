// The games from carnival to et.
#include <algorithm>
#include <cstdint>

#include "atari/games/games.h"

namespace envpool::atari {

namespace {

void StepCarnival(const Memory& memory, Progress& progress) {
  progress.SetScore(10 * memory.Decimal({0xad, 0xae}));
  const int bullets = memory[0x83];
  progress.is_over = bullets == 0;
}

Game Carnival() {
  return {.name = "carnival",
          .md5 = "028024fb8e5e5f18ea586652f9799c96",
          .ystart = 26,
          .height = 214,
          .actions = kNoop | kFire | kSideways | kSidewaysFire,
          .lives = LivesRule::kNone,
          .step = StepCarnival};
}

void StepCasino(const Memory& memory, Progress& progress) {
  constexpr int kPokerSolitaire = 3;
  const int score = memory.Decimal({0x8c, 0x95});
  const int reward = score - progress.score;
  progress.score = score;
  if (memory[0xd4] == kPokerSolitaire) {
    const bool has_paid = memory[0x9e] == 0xaa;
    progress.reward = reward;
    progress.is_over = score > 0 && has_paid;
  } else {
    const bool hears_player = (memory[0xd3] & 0x80) == 0;
    const int bet = memory.Decimal({0x9e});
    if (hears_player) progress.reward = reward;
    progress.is_over = score == 0 || (bet > 0 && !hears_player);
  }
}

Game Casino() {
  return {.name = "casino",
          .md5 = "b816296311019ab69a21cb9e9e235d12",
          .controllers = Controllers::kPaddles,
          .actions = kNoop | kFire | kUp | kDown,
          .starting_actions = Join({Times(60, Action::kNoop), Times(2, Action::kFire)}),
          .modes = {0, 2, 3},
          .difficulties = {0, 1, 2, 3},
          .step = StepCasino,
          .mode_switch = {.address = 0xd4}};
}

void StepCentipede(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xf4, 0xf5, 0xf6}));
  progress.reward = std::max(progress.reward, 0);
  progress.lives = ((memory[0xed] >> 4) & 7) + 1;
  progress.is_over = (memory[0xa6] & 0x40) != 0;
}

Game Centipede() {
  return {.name = "centipede",
          .md5 = "91c2098e88a6b13f977af8c003e0bca5",
          .cartridge = CartridgeKind::kF8,
          .modes = {0x16, 0x56},
          .lives = LivesRule::kCounted,
          .step = StepCentipede,
          .mode_switch = {.address = 0xa7}};
}

void StepChopperCommand(const Memory& memory, Progress& progress) {
  progress.SetScore(100 * memory.Decimal({0xec, 0xee}));
  progress.lives = memory[0xe4] & 15;
  int& has_started = progress.remembered[0];
  has_started |= memory[0xc2] & 1;
  progress.is_over = has_started != 0 && progress.lives == 0;
}

Game ChopperCommand() {
  return {.name = "chopper_command",
          .md5 = "c1cb228470a87beb5f36e90ac745da26",
          .modes = {0, 2},
          .difficulties = {0, 1},
          .lives = LivesRule::kAlwaysCounted,
          .step = StepChopperCommand,
          .mode_switch = {.address = 0xe0}};
}

void StepCrazyClimber(const Memory& memory, Progress& progress) {
  int hundreds = 0;
  for (const int address : {0x85, 0x84, 0x83, 0x82}) hundreds = 10 * hundreds + memory[address];
  progress.SetScore(100 * hundreds);
  progress.reward = std::max(progress.reward, 0);
  progress.lives = memory[0xaa];
  progress.is_over = progress.lives == 0;
}

Game CrazyClimber() {
  return {.name = "crazy_climber",
          .md5 = "55ef7b65066428367844342ed59f956c",
          .cartridge = CartridgeKind::kF8,
          .actions = kWithoutButton,
          .modes = {0, 1, 2, 3},
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepCrazyClimber,
          .mode_switch = {.address = 0x80}};
}

void StepCrossbow(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0x8b, 0x8c, 0x8d}));
  progress.is_over = memory[0xe7] == 0x82;
}

Game Crossbow() {
  return {.name = "crossbow",
          .md5 = "8cd26dcf249456fe4aeb8db42d49df74",
          .cartridge = CartridgeKind::kF6,
          .modes = {0, 2, 4, 6},
          .difficulties = {0, 1},
          .step = StepCrossbow,
          .mode_switch = {.address = 0x8d, .zero = 1}};
}

// When the game begins anew by itself, level and score fall.
void StepDarkchambers(const Memory& memory, Progress& progress) {
  progress.reward = 0;
  int& level = progress.remembered[0];
  if (memory[0xd5] < level) {
    progress.is_over = true;
    return;
  }
  level = memory[0xd5];
  const int score = 10 * memory.Decimal({0xcf, 0xcc});
  const int health = memory[0xca] & 31;
  if (score < progress.score) {
    progress.is_over = true;
  } else {
    progress.SetScore(score);
  }
  if (health == 0) progress.is_over = true;
}

Game Darkchambers() {
  return {.name = "darkchambers",
          .md5 = "106855474c69d08c8ffa308d47337269",
          .cartridge = CartridgeKind::kF6SC,
          .has_hmove_blanks = false,
          .starting_actions = Times(486, Action::kNoop),
          .step = StepDarkchambers};
}

void StepDefender(const Memory& memory, Progress& progress) {
  progress.SetScore(LowerDigits(memory, 0x9c, 6));
  progress.lives = memory[0xc2];
  progress.is_over = progress.lives == 0;
}

Game Defender() {
  return {.name = "defender",
          .md5 = "0f643c34e40e3f1daafd9c524d3ffe64",
          .modes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16},
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepDefender,
          .mode_switch = {.address = 0x9b}};
}

void StepDemonAttack(const Memory& memory, Progress& progress) {
  const bool has_no_score = memory[0x81] == 0xab && memory[0x83] == 0xcd && memory[0x85] == 0xea;
  progress.SetScore(has_no_score ? 0 : memory.Decimal({0x81, 0x83, 0x85}));
  const int bunkers = memory[0xf2];
  progress.lives = bunkers + 1;
  progress.is_over = bunkers == 0 && memory[0xf1] == 0xbd;
}

Game DemonAttack() {
  return {.name = "demon_attack",
          .md5 = "f0e0addc07971561ab80d9abe1b8d333",
          .actions = kNoop | kFire | kSideways | kSidewaysFire,
          .modes = {1, 3, 5, 7},
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepDemonAttack,
          .mode_switch = {.address = 0xea, .frames = 1}};
}

void StepDonkeyKong(const Memory& memory, Progress& progress) {
  progress.SetScore(100 * memory.Decimal({0x87, 0x88}));
  progress.lives = memory[0xa3];
  progress.is_over = progress.lives == 0 && memory[0x8f] == 3 && memory[0x8b] == 0x1f;
}

Game DonkeyKong() {
  return {.name = "donkey_kong",
          .md5 = "36b20c427975760cb9cf4a47e41369e4",
          .lives = LivesRule::kCounted,
          .step = StepDonkeyKong};
}

void StepDoubleDunk(const Memory& memory, Progress& progress) {
  const int player = memory.Decimal({0xf6});
  const int computer = memory.Decimal({0xf7});
  progress.SetScore(player - computer);
  progress.is_over = (player >= 24 || computer >= 24) && memory[0xfe] == 0xe7;
}

// Presses the stick once.
void TapDoubleDunk(Console& console, Action action) {
  console.Act(action);
  console.Act(Action::kNoop);
}

// Goes down the menu to the next option.
void GoDownDoubleDunk(Console& console) {
  const int before = console.Bytes()[0xb0];
  const auto has_moved = [&] { return console.Bytes()[0xb0] != before; };
  RepeatUntil(has_moved, [&] { TapDoubleDunk(console, Action::kDown); });
}

// Turns an option of the menu on or off.
void SetDoubleDunkOption(Console& console, int option, bool is_on) {
  const auto is_set = [&] { return ((console.Bytes()[0x80] & option) != 0) == is_on; };
  RepeatUntil(is_set, [&] { TapDoubleDunk(console, is_on ? Action::kRight : Action::kLeft); });
}

// Each bit of the mode is an option.
void SetDoubleDunkOptions(Console& console, int mode) {
  GoDownDoubleDunk(console);
  int bit = 1;
  for (const int option : {0x08, 0x10, 0x04, 0x20}) {
    GoDownDoubleDunk(console);
    SetDoubleDunkOption(console, option, (mode & bit) != 0);
    bit *= 2;
  }
  console.PressReset();
}

void SetDoubleDunkMode(Console& console, Progress&, int mode) {
  console.PressSelect(1);
  SetDoubleDunkOptions(console, mode);
  TapDoubleDunk(console, Action::kUpFire);
}

void SetDoubleDunkModeOfTwo(Console& console, Progress&, int mode) {
  constexpr int kTwoPlayers = 0x40;
  console.PressSelect(1);
  SetDoubleDunkOption(console, kTwoPlayers, true);
  SetDoubleDunkOptions(console, mode);
}

// Who does not choose a play in time loses a point.
void StepDoubleDunkOfTwo(const Memory& memory, Progress& progress) {
  constexpr int kFirstHasChosen = 0x40;
  constexpr int kSecondHasChosen = 0x80;
  constexpr int kMostFrames = 120;
  StepDoubleDunk(memory, progress);
  progress.second_reward = -progress.reward;
  const int choice = memory[0x89];
  const bool has_one_chosen = (choice & (kFirstHasChosen | kSecondHasChosen)) != 0;
  int& idle_frames = progress.remembered[0];
  if (choice != 0 && !has_one_chosen) idle_frames = 0;
  if (++idle_frames <= kMostFrames) return;
  idle_frames = 0;
  if (choice != 0 && !has_one_chosen) return;
  progress.reward = (choice & kFirstHasChosen) != 0 ? 0 : -1;
  progress.second_reward = choice != 0 && (choice & kFirstHasChosen) == 0 ? 0 : -1;
}

Game DoubleDunk() {
  return {
      .name = "double_dunk",
      .md5 = "368d88a6c071caba60b4f778615aae94",
      .cartridge = CartridgeKind::kF6,
      .starting_actions = {Action::kUpFire},
      .modes = Range(0, 15),
      .lives = LivesRule::kNone,
      .step = StepDoubleDunk,
      .set_mode = SetDoubleDunkMode,
      .two_players = {
          .modes = Range(16, 31), .step = StepDoubleDunkOfTwo, .set_mode = SetDoubleDunkModeOfTwo}};
}

void StepEarthworld(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xa7}));
  progress.is_over = progress.score == 10;
}

Game Earthworld() {
  return {.name = "earthworld",
          .md5 = "5aea9974b975a6a844e6df10d2b861c4",
          .cartridge = CartridgeKind::kF8,
          .step = StepEarthworld};
}

void StepElevatorAction(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0x87, 0x88, 0x89}));
  progress.lives = memory[0x83];
  const bool has_started = memory[0x81] != 0;
  progress.is_over = progress.lives == 0 && has_started;
}

Game ElevatorAction() {
  return {.name = "elevator_action",
          .md5 = "71f8bacfbdca019113f3f0801849057e",
          .cartridge = CartridgeKind::kF8SC,
          .starting_actions = Times(16, Action::kFire),
          .lives = LivesRule::kCounted,
          .step = StepElevatorAction};
}

// Returns the cars that have been passed since the first day. Memory counts those that are left.
int EnduroCars(const Memory& memory) {
  const int day = memory[0xad];
  if (day == 0) return 0;
  const int cars_left = memory.Decimal({0xac, 0xab});
  return 200 + 300 * (day - 1) - cars_left;
}

void StepEnduro(const Memory& memory, Progress& progress) {
  progress.SetScore(EnduroCars(memory));
  progress.is_over = memory[0xaf] == 0xff;
}

Game Enduro() {
  return {.name = "enduro",
          .md5 = "94b92a882f6dbaa6993a46e2dcc58402",
          .actions = kNoop | kFire | kDown | kSideways | kDownAslant | kSidewaysFire,
          .starting_actions = {Action::kFire},
          .lives = LivesRule::kNone,
          .step = StepEnduro};
}

void StepEntombed(const Memory& memory, Progress& progress) {
  progress.SetScore(memory[0xe3]);
  const int lives = memory[0xc7] & 3;
  progress.is_over = lives == 0;
}

// The places that remember the mode and the depth.
constexpr std::size_t kIsTogether = 0;
constexpr std::size_t kDepth = 1;

void StepEntombedOfTwo(const Memory& memory, Progress& progress) {
  progress.lives = memory[0xc7] & 3;
  progress.second_lives = (memory[0xc7] >> 4) & 3;
  progress.is_over = progress.lives == 0 || progress.second_lives == 0;
  if (progress.remembered[kIsTogether] != 0) {
    const int depth = memory[0xef];
    progress.reward = progress.second_reward = depth > progress.remembered[kDepth] ? 1 : 0;
    progress.remembered[kDepth] = depth;
  } else {
    progress.SetScore(progress.lives - progress.second_lives);
    progress.second_reward = -progress.reward;
  }
}

// The modes differ only in the rules.
void SetEntombedModeOfTwo(Console& console, Progress& progress, int mode) {
  progress.remembered[kIsTogether] = mode == 3 ? 1 : 0;
  SelectUntil(console, 1, [&] { return console.Bytes()[0xf4] == 0; });
  console.PressReset();
}

Game Entombed() {
  return {.name = "entombed",
          .md5 = "6b683be69f92958abe0e2a9945157ad5",
          .starting_actions = Join({Times(1, Action::kFire), Times(5, Action::kNoop)}),
          .difficulties = {0, 2},
          .step = StepEntombed,
          .two_players = {.modes = {2, 3},
                          .step = StepEntombedOfTwo,
                          .set_mode = SetEntombedModeOfTwo,
                          .has_lives = true}};
}

void StepEt(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xdf, 0xe0, 0xe1}));
  progress.lives = static_cast<std::int8_t>(memory[0xe5] + 1);  // ALE: a byte with a sign
  progress.is_over = progress.lives == 0 && memory[0x80] == 8;
}

Game Et() {
  return {.name = "et",
          .md5 = "615a3bf251a38eb6638cdc7ffbde5480",
          .cartridge = CartridgeKind::kF8,
          .modes = {0, 1, 2},
          .difficulties = {0, 1, 2, 3},
          .lives = LivesRule::kCounted,
          .step = StepEt,
          .mode_switch = {.address = 0xea, .zero = 1, .frames = 25}};
}

}  // namespace

std::vector<Game> GamesCToE() {
  return {Carnival(),       Casino(),     Centipede(),    ChopperCommand(),
          CrazyClimber(),   Crossbow(),   Darkchambers(), Defender(),
          DemonAttack(),    DonkeyKong(), DoubleDunk(),   Earthworld(),
          ElevatorAction(), Enduro(),     Entombed(),     Et()};
}

}  // namespace envpool::atari
