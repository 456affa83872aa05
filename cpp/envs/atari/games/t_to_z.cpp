// The games from tennis to zaxxon.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "atari/games/games.h"

namespace envpool::atari {

namespace {

void StepTennis(const Memory& memory, Progress& progress) {
  const int player = memory[0xc7];
  const int computer = memory[0xc8];
  const int games = player - computer;
  const int points = memory[0xc5] - memory[0xc6];
  int& last_games = progress.remembered[0];
  int& last_points = progress.remembered[1];
  progress.reward = games != last_games ? games - last_games : points - last_points;
  last_games = games;
  last_points = points;
  const bool is_won = std::max(player, computer) >= 6 && std::abs(games) >= 2;
  progress.is_over = is_won || player == 7 || computer == 7;
}

// Who does not serve in time loses a point.
void StepTennisOfTwo(const Memory& memory, Progress& progress) {
  int& games_played = progress.remembered[2];
  int& waited = progress.remembered[3];
  const int games_before = progress.remembered[0];
  StepTennis(memory, progress);
  progress.second_reward = -progress.reward;
  if (progress.remembered[0] != games_before) ++games_played;
  const bool waits_for_serve = memory[0xcc] != 0;
  waited = waits_for_serve ? waited + 1 : 1;
  if (waited < 180) return;
  waited = 0;
  const bool is_firsts_serve = games_played % 2 == 0;
  progress.reward = is_firsts_serve ? -1 : 0;
  progress.second_reward = is_firsts_serve ? 0 : -1;
}

Game Tennis() {
  return {
      .name = "tennis",
      .md5 = "42cdd6a9e42a3639e190722b8ea3fc51",
      .cartridge = CartridgeKind::k2K,
      .modes = {0, 2},
      .difficulties = {0, 1, 2, 3},
      .lives = LivesRule::kNone,
      .step = StepTennis,
      .mode_switch = {.address = 0x80},
      .two_players = {
          .modes = {2, 4}, .step = StepTennisOfTwo, .mode_switch = {.address = 0x80, .zero = -1}}};
}

void StepTetris(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xf2, 0xf1}));
  progress.reward = std::max(progress.reward, 0);
  progress.is_over = (memory[0xf3] & 0x80) != 0;
  if (progress.is_over) progress.score = 0;
}

Game Tetris() {
  return {.name = "tetris",
          .md5 = "b0e1ee07fbc73493eac5651a52f90f00",
          .cartridge = CartridgeKind::k2K,
          .actions = kNoop | kFire | kSideways | kDown,
          .lives = LivesRule::kNone,
          .step = StepTetris};
}

// True if none of the 64 places of the cube is empty.
bool IsFull(const Memory& memory) {
  for (int address = 0x9a; address <= 0xd9; ++address) {
    if (memory[address] == 0) return false;
  }
  return true;
}

void StepTicTacToe3d(const Memory& memory, Progress& progress) {
  const bool is_decided = memory[0xfe] == 0x10 && memory[0xff] == 0xf3;
  const bool has_won = memory[0xe1] == 8;
  progress.reward = 0;
  if (is_decided) progress.reward = has_won ? 1 : -1;
  if (is_decided || IsFull(memory)) progress.is_over = true;
}

Game TicTacToe3d() {
  return {.name = "tic_tac_toe_3d",
          .md5 = "0db4f4150fecf77e4ce72ca4d04c052f",
          .cartridge = CartridgeKind::k2K,
          .actions = kWithoutButton | kFire,
          .modes = Range(0, 8),
          .difficulties = {0, 2},
          .step = StepTicTacToe3d,
          .mode_switch = {.address = 0x88}};
}

void StepTimePilot(const Memory& memory, Progress& progress) {
  progress.SetScore(100 * memory.Decimal({0x8f, 0x8d}));
  const bool is_flying = (memory[0x80] & 15) == 2;
  if (is_flying) progress.lives = (memory[0x8b] & 7) + 1;
  progress.is_over = memory[0xa0] != 0;
}

void StartTimePilot(Progress& progress) { progress = {.lives = 5}; }

Game TimePilot() {
  return {.name = "time_pilot",
          .md5 = "fc2104dd2dadf9a6176c1c1c8f87ced9",
          .cartridge = CartridgeKind::kF8,
          .actions = kNoop | kFire | kStraight | kStraightFire,
          .difficulties = {0, 1, 2},
          .lives = LivesRule::kCounted,
          .step = StepTimePilot,
          .start = StartTimePilot};
}

void StepTrondead(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xbd, 0xbe, 0xbf}));
  progress.lives = 5 - memory[0xc8];
  progress.is_over = progress.lives == 0;
}

Game Trondead() {
  return {.name = "trondead",
          .md5 = "fb27afe896e7c928089307b32e5642ee",
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepTrondead};
}

void StepTurmoil(const Memory& memory, Progress& progress) {
  progress.SetScore(10 * (memory.Decimal({0x8a, 0x89}) + memory[0xd3]));
  progress.lives = memory[0xb9];
  progress.is_over = progress.lives == 0 && memory[0xc5] == 1;
}

Game Turmoil() {
  return {.name = "turmoil",
          .md5 = "7a5463545dfb2dcfdafa6074b2f2c15e",
          .actions = kWithoutButton | kFire | kSidewaysFire,
          .starting_actions = {Action::kFire},
          .modes = Range(0, 8),
          .lives = LivesRule::kCounted,
          .step = StepTurmoil,
          .mode_switch = {.address = 0xea}};
}

void StepTutankham(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0x9a, 0x9c}));
  progress.lives = memory[0x9e] & 3;
  progress.is_over = memory[0x9e] == 0 && memory[0x81] != 0x84;
}

Game Tutankham() {
  return {.name = "tutankham",
          .md5 = "085322bae40d904f53bdcc56df0593fc",
          .cartridge = CartridgeKind::kE0,
          .actions = kNoop | kStraight | kUpFire | kSidewaysFire,
          .modes = {0, 4, 8, 12},
          .lives = LivesRule::kCounted,
          .step = StepTutankham,
          .mode_switch = {.address = 0xab}};
}

void StepUpNDown(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0x80, 0x81, 0x82}));
  progress.lives = (memory[0x86] & 15) + 1;
  progress.is_over = progress.lives == 1 && memory[0x94] > 0x40;
}

Game UpNDown() {
  return {.name = "up_n_down",
          .md5 = "a499d720e7ee35c62424de882a3351b6",
          .cartridge = CartridgeKind::kF8,
          .ystart = 30,
          .actions = kNoop | kFire | kUp | kDown | kUpFire | kDownFire,
          .starting_actions = {Action::kFire},
          .difficulties = {0, 1, 2, 3},
          .lives = LivesRule::kCounted,
          .step = StepUpNDown};
}

void StepVenture(const Memory& memory, Progress& progress) {
  progress.SetScore(100 * memory.Decimal({0xc7, 0xc8}));
  progress.lives = (memory[0xc6] & 7) + 1;
  progress.is_over = memory[0xc6] == 0 && memory[0xcd] == 0xff && (memory[0xbf] & 0x80) != 0;
}

Game Venture() {
  return {.name = "venture",
          .md5 = "3e899eba0ca8cd2972da1ae5479b4f0d",
          .difficulties = {0, 1, 2, 3},
          .lives = LivesRule::kCounted,
          .step = StepVenture};
}

// Counts the men and kings of a colour, which is the upper bit of their bytes. The board is four
// rows of eight bytes.
int CountPieces(const Memory& memory, int colour) {
  int pieces = 0;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 8; ++column) {
      const int place = memory[0x80 + 9 * row + column];
      if (place == (0x10 | colour) || place == (0x20 | colour)) ++pieces;
    }
  }
  return pieces;
}

// The place that remembers that the one wins who has no pieces left.
constexpr std::size_t kGiveaway = 0;

void StepVideoCheckers(const Memory& memory, Progress& progress) {
  const bool has_lost = CountPieces(memory, 0x00) == 0;
  const bool has_won = !has_lost && CountPieces(memory, 0x80) == 0;
  if (!has_lost && !has_won) return;
  const bool is_giveaway = progress.remembered[kGiveaway] != 0;
  progress.reward = has_won != is_giveaway ? 1 : -1;
  progress.is_over = true;
}

// The places that remember whose turn it is and for how many frames it has been.
constexpr std::size_t kIsSecondsTurn = 0;
constexpr std::size_t kFramesOfTurn = 1;

// Who does not move in time loses a point.
void StepVideoCheckersOfTwo(const Memory& memory, Progress& progress) {
  int& is_seconds_turn = progress.remembered[kIsSecondsTurn];
  int& frames = progress.remembered[kFramesOfTurn];
  const int turn = memory[0xc0] >> 4 != 0 ? 1 : 0;
  frames = turn == is_seconds_turn ? frames + 1 : 1;
  is_seconds_turn = turn;
  progress.reward = progress.second_reward = 0;
  if (frames > 600) {
    frames = 0;
    (turn == 1 ? progress.second_reward : progress.reward) = -1;
  }
  const bool has_lost = CountPieces(memory, 0x00) == 0;
  const bool has_won = !has_lost && CountPieces(memory, 0x80) == 0;
  if (!has_lost && !has_won) return;
  progress.reward = has_won ? 1 : -1;
  progress.second_reward = -progress.reward;
  progress.is_over = true;
}

void SetVideoCheckersMode(Console& console, Progress& progress, int mode) {
  const bool is_giveaway = mode >= 11;
  progress.remembered[kGiveaway] = is_giveaway ? 1 : 0;
  const int shown = is_giveaway ? mode + 6 : mode;
  SelectUntil(console, 1, [&] { return console.Bytes()[0xf6] == shown; });
  console.PressReset();
}

Game VideoCheckers() {
  return {.name = "video_checkers",
          .md5 = "539d26b6e9df0da8e7465f0f5ad863b7",
          .actions = kFire | kAslant,
          .modes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19},
          .step = StepVideoCheckers,
          .set_mode = SetVideoCheckersMode,
          .two_players = {.modes = {10},
                          .step = StepVideoCheckersOfTwo,
                          .mode_switch = {.address = 0xf6, .zero = 6, .frames = 1}}};
}

void StepVideoChess(const Memory& memory, Progress& progress) {
  progress.reward = 0;
  const bool is_whites_turn = memory[0xe1] == 0x82;
  if (!is_whites_turn) return;
  const int checkmate = memory[0xee];  // 0: of black, 1: of white
  if (checkmate > 1) return;
  progress.reward = checkmate == 0 ? 1 : -1;
  progress.is_over = true;
}

Game VideoChess() {
  return {.name = "video_chess",
          .md5 = "f0b7db930ca0e548c41a97160b9f6275",
          .actions = kWithoutButton | kFire,
          .modes = {0, 1, 2, 3, 4},
          .step = StepVideoChess,
          .mode_switch = {.address = 0xea, .frames = 1}};
}

// There are 51 cubes with three variants each.
std::vector<int> CubeModes() {
  std::vector<int> modes;
  for (int cube = 0; cube <= 50; ++cube) {
    for (int variant = 0; variant < 3; ++variant) modes.push_back(100 * cube + variant);
  }
  return modes;
}

// Counts the faces of the cube that have one colour. Each has nine bytes.
int CountFaces(const Memory& memory) {
  int faces = 0;
  for (int first = 0xa0; first < 0xa0 + 6 * 9; first += 9) {
    int same = 1;
    while (same < 9 && memory[first + same] == memory[first]) ++same;
    if (same == 9) ++faces;
  }
  return faces;
}

// The places that remember the frame before.
constexpr std::size_t kLastFaces = 0;
constexpr std::size_t kLastTimer = 1;

void StepVideoCube(const Memory& memory, Progress& progress) {
  int& last_faces = progress.remembered[kLastFaces];
  int& last_timer = progress.remembered[kLastTimer];
  const int faces = CountFaces(memory);
  const int timer = memory[0xdb];
  const bool is_too_late = timer == 0 && last_timer == 0xff;
  progress.reward = is_too_late ? -1 : faces - last_faces;
  progress.is_over = is_too_late || faces == 6;
  last_faces = faces;
  last_timer = timer;
}

void StartVideoCube(Progress& progress) {
  const int last_timer = progress.remembered[kLastTimer];  // ALE: this is not forgotten
  progress = {};
  progress.remembered[kLastTimer] = last_timer;
}

void SetVideoCubeMode(Console& console, Progress&, int mode) {
  constexpr std::array kShown = {0, 2, 8};
  const int shown = kShown[static_cast<std::size_t>(mode) % 100 % kShown.size()];
  SelectUntil(console, 2, [&] { return (console.Bytes()[0xfb] & 0x1f) == shown; });
  console.PressReset();
  const int cube = std::max(mode / 100, 1);
  RepeatUntil([&] { return Memory::TwoDigits(console.Bytes()[0x9f]) == cube; },
              [&] { console.Act(Action::kRight); });
}

Game VideoCube() {
  return {.name = "video_cube",
          .md5 = "3f540a30fdee0b20aed7288e4a5ea528",
          .starting_actions =
              Join({Times(61, Action::kNoop), Times(1, Action::kFire), Times(2, Action::kNoop)}),
          .modes = CubeModes(),
          .difficulties = {0, 1},
          .step = StepVideoCube,
          .start = StartVideoCube,
          .set_mode = SetVideoCubeMode};
}

void StepVideoPinball(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xb4, 0xb2, 0xb0}));
  const int extra_balls = memory[0xa8] & 1;
  progress.lives = 4 + extra_balls - (memory[0x99] & 7);
  progress.is_over = (memory[0xaf] & 1) != 0;
}

Game VideoPinball() {
  return {.name = "video_pinball",
          .md5 = "107cc025334211e6d29da0b6be46aec7",
          .actions = kNoop | kFire | kStraight | kUpFire | kSidewaysFire,
          .modes = {0, 2},
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepVideoPinball,
          .mode_switch = {.address = 0xc1}};
}

// Returns the score whose hundreds are in these bytes.
int WizardOfWorScore(const Memory& memory, int upper, int lower) {
  const int score = memory.Decimal({upper, lower});
  return 100 * (score >= 8000 ? score - 8000 : score);
}

void StepWizardOfWor(const Memory& memory, Progress& progress) {
  progress.SetScore(WizardOfWorScore(memory, 0x88, 0x86));
  const int lives = memory[0x8d] & 15;
  const bool is_waiting = (memory[0xd7] & 1) == 0;
  if (is_waiting) progress.lives = lives;
  progress.is_over = lives == 0 && memory[0xf4] == 0xf8;
}

void StepWizardOfWorOfTwo(const Memory& memory, Progress& progress) {
  progress.SetScore(WizardOfWorScore(memory, 0x88, 0x86));
  progress.SetSecondScore(WizardOfWorScore(memory, 0x87, 0x85));
  const int lives = (memory[0x8d] & 15) - 1;
  const int second_lives = (memory[0x8c] & 15) - 1;
  const bool is_waiting = (memory[0xd7] & 1) == 0;
  const bool is_second_waiting = (memory[0xd6] & 1) == 0;
  if (is_waiting) progress.lives = lives;
  if (is_second_waiting) progress.second_lives = second_lives;
  progress.is_over = lives == -1 && second_lives == -1 && memory[0xf4] == 0xf8;
}

void StartWizardOfWorOfTwo(Progress& progress) { progress = {.lives = 2, .second_lives = 2}; }

void StartWizardOfWor(Progress& progress) { progress = {.lives = 3}; }

Game WizardOfWor() {
  return {.name = "wizard_of_wor",
          .md5 = "7e8aa18bc9502eb57daaf5e7c1e94da7",
          .controllers = Controllers::kSwappedJoysticks,
          .actions = kNoop | kFire | kStraight | kStraightFire,
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepWizardOfWor,
          .start = StartWizardOfWor,
          .two_players = {.modes = {1},
                          .step = StepWizardOfWorOfTwo,
                          .start = StartWizardOfWorOfTwo,
                          .mode_switch = {.address = 0x81, .frames = 1},
                          .has_lives = true}};
}

void StepWordZapper(const Memory& memory, Progress& progress) {
  const bool is_playing = memory[0xcf] != 0;
  if (!is_playing) return;
  progress.SetScore(2 - static_cast<std::int8_t>(memory[0xdc]));
  const int seconds_left = Memory::TwoDigits(memory[0xde]);
  progress.is_over = progress.score == 3 || seconds_left == 0;
}

Game WordZapper() {
  return {.name = "word_zapper",
          .md5 = "ec3beb6d8b5689e867bafb5d5f507491",
          .starting_actions =
              Join({Times(486, Action::kNoop), Times(1, Action::kFire), Times(2, Action::kNoop)}),
          .modes = Range(0, 23),
          .difficulties = {0, 1, 2, 3},
          .step = StepWordZapper,
          .mode_switch = {.address = 0xdb}};
}

void StepYarsRevenge(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xe0, 0xe1, 0xe2}));
  progress.lives = memory[0x9e] >> 4;
  progress.is_over = progress.lives == 0;
}

Game YarsRevenge() {
  return {.name = "yars_revenge",
          .md5 = "c5930d0e8cdae3e037349bfa08e871be",
          .starting_actions = {Action::kFire},
          .modes = {0, 32, 64, 96},
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepYarsRevenge,
          .mode_switch = {.address = 0xe3, .frames = 1, .first_frames = 2}};
}

void StepZaxxon(const Memory& memory, Progress& progress) {
  progress.SetScore(100 * memory.Decimal({0xe8, 0xe9}));
  progress.lives = memory[0xea] & 7;
  progress.is_over = progress.lives == 0;
}

Game Zaxxon() {
  return {.name = "zaxxon",
          .md5 = "eea0da9b987d661264cce69a7c13c3bd",
          .cartridge = CartridgeKind::kF8,
          .modes = {0, 8, 16, 24},
          .lives = LivesRule::kCounted,
          .step = StepZaxxon,
          .mode_switch = {.address = 0x82, .frames = 10}};
}

}  // namespace

std::vector<Game> GamesTToZ() {
  return {Tennis(),       Tetris(),      TicTacToe3d(), TimePilot(),     Trondead(),   Turmoil(),
          Tutankham(),    UpNDown(),     Venture(),     VideoCheckers(), VideoChess(), VideoCube(),
          VideoPinball(), WizardOfWor(), WordZapper(),  YarsRevenge(),   Zaxxon()};
}

}  // namespace envpool::atari
