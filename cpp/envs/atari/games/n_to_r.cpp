// The games from name_this_game to robotank.
#include <cstddef>
#include <cstdint>

#include "atari/games/games.h"

namespace envpool::atari {

namespace {

void StepNameThisGame(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xc4, 0xc5, 0xc6}));
  progress.lives = memory[0xc7] & 7;
  progress.is_over = progress.lives == 0;
}

Game NameThisGame() {
  return {.name = "name_this_game",
          .md5 = "36306070f0c90a72461551a7a4f3a209",
          .actions = kNoop | kFire | kSideways | kSidewaysFire,
          .modes = {8, 24, 40},
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepNameThisGame,
          .mode_switch = {.address = 0xde}};
}

void StepOthello(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xce}) - memory.Decimal({0xd0}));
  int& idle_frames = progress.remembered[0];
  idle_frames = memory[0xc0] == 0 ? idle_frames + 1 : 0;
  progress.is_over = idle_frames > 50;
}

// The places that remember for how many frames there has been no cursor, and no move.
constexpr std::size_t kWithoutCursor = 0;
constexpr std::size_t kWithoutMove = 1;

// Who does not move in time loses a point.
void StepOthelloOfTwo(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xce}) - memory.Decimal({0xd0}));
  progress.second_reward = -progress.reward;
  const int turn = memory[0xc0];
  int& without_cursor = progress.remembered[kWithoutCursor];
  without_cursor = turn == 0 ? without_cursor + 1 : 0;
  progress.is_over = without_cursor > 75;
  int& without_move = progress.remembered[kWithoutMove];
  if (progress.reward != 0) without_move = 0;
  if (++without_move < 600) return;
  without_move = 0;
  const bool is_firsts_turn = turn == 0xff;
  (is_firsts_turn ? progress.reward : progress.second_reward) = -1;
}

Game Othello() {
  return {
      .name = "othello",
      .md5 = "113cd09c9771ac278544b7e90efe7df2",
      .cartridge = CartridgeKind::k2K,
      .actions = kWithoutButton | kFire,
      .modes = {0, 1, 2},
      .difficulties = {0, 2},
      .step = StepOthello,
      .mode_switch = {.address = 0xde, .zero = 1},
      .two_players = {.modes = {4}, .step = StepOthelloOfTwo, .mode_switch = {.address = 0xde}}};
}

void StepPacman(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xd0, 0xce, 0xcc}));
  progress.lives = memory[0x98] + 1;
  progress.is_over = memory[0x98] == 0 && memory[0xe4] == 0x3f;
}

void SetPacmanMode(Console& console, Progress&, int mode) {
  SelectUntil(console, 2, [&] {
    const Memory memory = console.Bytes();
    const bool has_one_player = memory[0xe6] == 0;
    return memory[0xcc] == mode + 1 && has_one_player;
  });
  console.PressReset();
}

Game Pacman() {
  return {.name = "pacman",
          .md5 = "fc2233fc116faef0d3c31541717ca2db",
          .height = 250,
          .is_pal = true,
          .actions = kNoop | kStraight,
          .modes = Range(0, 7),
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepPacman,
          .set_mode = SetPacmanMode};
}

void StepPhoenix(const Memory& memory, Progress& progress) {
  progress.SetScore(100 * memory.Decimal({0xc9, 0xc8}) + 10 * Memory::UpperDigit(memory[0xc7]));
  progress.lives = memory[0xcb] & 7;
  progress.is_over = memory[0xcc] == 0x80;
}

Game Phoenix() {
  return {.name = "phoenix",
          .md5 = "7e52a95074a66640fcfde124fffd491a",
          .cartridge = CartridgeKind::kF8,
          .actions = kNoop | kFire | kSideways | kDown | kSidewaysFire | kDownFire,
          .lives = LivesRule::kCounted,
          .step = StepPhoenix};
}

void StepPitfall(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xd5, 0xd6, 0xd7}));
  const int symbols = memory[0x80] >> 4;
  progress.lives = symbols == 10 ? 3 : symbols == 8 ? 2 : 1;
  progress.is_over = symbols == 0 && memory[0x9e] != 0;
}

void StartPitfall(Progress& progress) { progress = {.score = 2000}; }

Game Pitfall() {
  return {.name = "pitfall",
          .md5 = "3e90cf23106f2e08b2781e41299de556",
          .starting_actions = {Action::kUp},
          .lives = LivesRule::kCounted,
          .step = StepPitfall,
          .start = StartPitfall};
}

void StepPitfall2(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xc7, 0xc8, 0xc9}));
  progress.is_over = progress.score == 199000;
}

void StartPitfall2(Progress& progress) { progress = {.score = 4000}; }

Game Pitfall2() {
  return {.name = "pitfall2",
          .md5 = "6d842c96d5a01967be9680080dd5be54",
          .cartridge = CartridgeKind::kDpc,
          .starting_actions = {Action::kUp},
          .step = StepPitfall2,
          .start = StartPitfall2};
}

void StepPong(const Memory& memory, Progress& progress) {
  const int computer = memory[0x8d];
  const int player = memory[0x8e];
  progress.SetScore(player - computer);
  progress.is_over = player == 21 || computer == 21;
}

// Who does not serve in time loses a point.
void StepPongOfTwo(const Memory& memory, Progress& progress) {
  StepPong(memory, progress);
  progress.second_reward = -progress.reward;
  int& without_ball = progress.remembered[0];
  const bool has_ball = (memory[0x8c] & 0xf0) != 0;
  without_ball = has_ball ? 0 : without_ball + 1;
  if (without_ball < 120) return;
  without_ball = 0;
  const bool is_seconds_serve = memory[0x92] == 0;
  --(is_seconds_serve ? progress.second_reward : progress.reward);
}

std::vector<int> PongModesOfTwo() {
  return {3, 4, 9, 10, 13, 14, 19, 20, 23, 24, 25, 26, 27, 28, 35, 36, 39, 40, 43, 44, 45, 46};
}

Game Pong() {
  return {.name = "pong",
          .md5 = "60e0ea3cbe0913d39803477945e9e5ec",
          .cartridge = CartridgeKind::k2K,
          .controllers = Controllers::kSwappedPaddles,
          .actions = kNoop | kFire | kSideways | kSidewaysFire,
          .modes = {0, 1},
          .difficulties = {0, 1, 2, 3},
          .lives = LivesRule::kNone,
          .step = StepPong,
          .mode_switch = {.address = 0x96},
          .two_players = {.modes = PongModesOfTwo(),
                          .step = StepPongOfTwo,
                          .mode_switch = {.address = 0x96, .zero = -1}}};
}

void StepPooyan(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0x88, 0x89, 0x8a}));
  progress.lives = (memory[0x96] & 7) + 1;
  progress.is_over = memory[0x96] == 0 && memory[0x98] == 5;
}

Game Pooyan() {
  return {.name = "pooyan",
          .md5 = "4799a40b6e889370b7ee55c17ba65141",
          .ystart = 26,
          .height = 220,
          .actions = kNoop | kFire | kUp | kDown | kUpFire | kDownFire,
          .modes = {10, 30, 50, 70},
          .lives = LivesRule::kCounted,
          .step = StepPooyan,
          .mode_switch = {.address = 0xbd, .first_frames = 2}};
}

void StepPrivateEye(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xc8, 0xc9, 0xca}));
  progress.is_over = memory[0xc2] > 1;
}

void StartPrivateEye(Progress& progress) { progress = {.score = 1000}; }

Game PrivateEye() {
  return {.name = "private_eye",
          .md5 = "ef3a4f64b6494ba770862768caf04b86",
          .cartridge = CartridgeKind::kF8,
          .starting_actions = {Action::kUp},
          .modes = {0, 1, 2, 3, 4},
          .difficulties = {0, 1, 2, 3},
          .lives = LivesRule::kNone,
          .step = StepPrivateEye,
          .start = StartPrivateEye,
          .mode_switch = {.address = 0x80}};
}

constexpr std::size_t kLastLivesByte = 0;  // of the frame before

void StepQbert(const Memory& memory, Progress& progress) {
  const int lives_byte = static_cast<std::int8_t>(memory[0x88]);
  int& last_lives_byte = progress.remembered[kLastLivesByte];
  progress.is_over = lives_byte == -2 || (lives_byte == 2 && last_lives_byte == -1);
  if (lives_byte == last_lives_byte - 1) --progress.lives;
  last_lives_byte = lives_byte;
  progress.reward = 0;
  if (!progress.is_over) progress.SetScore(memory.Decimal({0xd9, 0xda, 0xdb}));
}

void StartQbert(Progress& progress) {
  progress = {.lives = 4};
  progress.remembered[kLastLivesByte] = 2;
}

Game Qbert() {
  return {.name = "qbert",
          .md5 = "484b0076816a104875e00467d431c2d2",
          .ystart = 40,
          .actions = kNoop | kFire | kStraight,
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepQbert,
          .start = StartQbert};
}

// Digits are kept as the places of their pictures, which have eight bytes each.
int DigitOfPicture(int place) { return place % 8 == 0 && place <= 72 ? place / 8 : 0; }

constexpr int kNewGame = 0x58;
constexpr int kLastLife = 0x59;

int LivesOfByte(int byte) {
  if (byte == kNewGame) return 4;
  if (byte == kLastLife) return 1;
  return byte / 8 + 1;
}

void StepRiverraid(const Memory& memory, Progress& progress) {
  int score = 0;
  for (const int address : {0xcd, 0xcf, 0xd1, 0xd3, 0xd5, 0xd7}) {
    score = 10 * score + DigitOfPicture(memory[address]);
  }
  progress.SetScore(score);
  const int lives_byte = memory[0xc0];
  int& last_lives_byte = progress.remembered[0];
  progress.lives = LivesOfByte(lives_byte);
  progress.is_over = lives_byte == kNewGame && last_lives_byte == kLastLife;
  last_lives_byte = lives_byte;
}

Game Riverraid() {
  return {.name = "riverraid",
          .md5 = "393948436d1f4cc3192410bb918f9724",
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepRiverraid};
}

void StepRoadRunner(const Memory& memory, Progress& progress) {
  progress.SetScore(100 * LowerDigits(memory, 0xc9, 4));
  const int spare_lives = memory[0xc4] & 7;
  const bool is_falling = memory[0xb9] != 0;
  const bool is_caught = memory[0xbd] != 0;
  progress.lives = spare_lives + 1;
  progress.is_over = spare_lives == 0 && (is_falling || is_caught);
}

Game RoadRunner() {
  return {.name = "road_runner",
          .md5 = "ce5cc62608be2cd3ed8abd844efb8919",
          .cartridge = CartridgeKind::kF6,
          .lives = LivesRule::kCounted,
          .step = StepRoadRunner};
}

void StepRobotank(const Memory& memory, Progress& progress) {
  progress.SetScore(12 * memory[0xb6] + memory[0xb5]);
  progress.lives = (memory[0xa8] & 15) + 1;
  progress.is_over = memory[0xa8] == 0 && memory[0xb4] == 0xff;
}

Game Robotank() {
  return {.name = "robotank",
          .md5 = "4f618c2429138e0280969193ed6c107e",
          .cartridge = CartridgeKind::kFE,
          .lives = LivesRule::kCounted,
          .step = StepRobotank};
}

}  // namespace

std::vector<Game> GamesNToR() {
  return {NameThisGame(), Othello(),    Pacman(), Phoenix(),   Pitfall(),    Pitfall2(), Pong(),
          Pooyan(),       PrivateEye(), Qbert(),  Riverraid(), RoadRunner(), Robotank()};
}

}  // namespace envpool::atari
