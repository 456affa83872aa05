// Game: what there is to know of a game without running it: its cartridge, its controllers, its
// actions, modes and difficulties, and its rules, which read score and lives from memory.
//
// The games are in games/*.cpp, by their names.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "atari/action.h"
#include "atari/console.h"
#include "atari/memory.h"
#include "atari2600/cartridge/rom.h"
#include "envpool/archive.h"
#include "envpool/family.h"

namespace envpool::atari {

using atari2600::CartridgeKind;

// What the rules know of an episode.
struct Progress {
  int score = 0;
  int reward = 0;  // of the last frame
  int lives = 0;   // as the rules count them, which need not: see Game::LivesLeft
  bool is_over = false;
  int second_score = 0;  // these are the second player's, if two play
  int second_reward = 0;
  int second_lives = 0;
  std::array<int, 6> remembered = {};  // whatever a game has to; its file names the places

  // Makes what is added to the score the reward.
  void SetScore(int new_score) {
    reward = new_score - score;
    score = new_score;
  }
  void SetSecondScore(int new_score) {
    second_reward = new_score - second_score;
    second_score = new_score;
  }

  void Serialize(Archive& archive);
};

// Says how a mode is chosen: the select switch is pressed again and again until a byte of memory
// shows the mode, then the reset switch is pressed.
struct ModeSwitch {
  int address = -1;      // of the byte; -1: there is nothing to choose
  int mask = 0xff;       // the byte's bits that show the mode
  int zero = 0;          // what they are for mode 0
  int step = 1;          // by how much they grow with each mode
  int frames = 2;        // for which the select switch is held each time
  int first_frames = 0;  // for which it is held before the byte is looked at; 0: it is not
};

// How two play a game, as multi_agent_ale_py has it, which numbers their modes.
struct TwoPlayers {
  std::vector<int> modes = {};  // the default one first; none if two cannot play
  // Null: the rules are those for one, and what the first player wins the second one loses.
  void (*step)(const Memory& memory, Progress& progress) = nullptr;
  void (*start)(Progress& progress) = nullptr;
  std::vector<Action> starting_actions = {};  // none: those for one player
  ModeSwitch mode_switch = {};
  void (*set_mode)(Console& console, Progress& progress, int mode) = nullptr;
  bool has_lives = false;  // that step counts; -1: the player is out
};

enum class Controllers : std::uint8_t {
  kJoysticks,
  kSwappedJoysticks,  // the player's is the right one
  kPaddles,
  kSwappedPaddles,  // the player's is the second one of the pair; there is another pair
};

enum class LivesRule : std::uint8_t {
  kOne,            // 1 until the game is over, then 0
  kCounted,        // Progress::lives until the game is over, then 0
  kAlwaysCounted,  // Progress::lives, whether the game is over or not
  kAlwaysOne,
  kNone,
};

inline constexpr int kLeastPaddle = 27450;

struct Game {
  std::string name = {};
  std::string md5 = {};  // of the ROM

  CartridgeKind cartridge = CartridgeKind::k4K;
  int ystart = 34;  // the first line of the picture
  int height = 210;
  bool is_pal = false;
  bool has_hmove_blanks = true;

  Controllers controllers = Controllers::kJoysticks;
  int most_paddle = 790196;
  int power_on_difficulty = 0;  // of the frames before the first reset

  ActionSet actions = kAllActions;  // the minimal set
  ActionSet legal_actions = kAllActions;
  std::vector<Action> starting_actions = {};
  std::vector<int> modes = {0};  // the default one first
  std::vector<int> difficulties = {0};

  LivesRule lives = LivesRule::kOne;
  // Reads what a frame has brought.
  void (*step)(const Memory& memory, Progress& progress) = nullptr;
  // Begins an episode, for games that do not begin with nothing.
  void (*start)(Progress& progress) = nullptr;
  ModeSwitch mode_switch = {};
  // Chooses a mode where the mode switch is not enough.
  void (*set_mode)(Console& console, Progress& progress, int mode) = nullptr;

  TwoPlayers two_players = {};
  int players = 1;
  bool is_duel = false;  // what the first player wins the second one loses

  void Start(Progress& progress) const;
  // Throws std::runtime_error if the game does not come to show the mode.
  void SetMode(Console& console, Progress& progress, int mode) const;
  // The players are 0 and 1.
  int Reward(const Progress& progress, int player) const;
  int LivesLeft(const Progress& progress, int player = 0) const;
};

// All games, by name.
std::span<const Game> AllGames();

// Returns null if there is no such game.
const Game* FindGame(const std::string& name);

// Both throw std::invalid_argument if there is no such game. The one that so many players play has
// their modes and rules.
const Game& GameOf(const std::string& name);
const Game& GameOf(const std::string& name, std::int64_t players);

// How a game is played, as the console's switches choose.
struct Variation {
  int mode = 0;
  int difficulty = 0;
};

// Returns these values, where -1 stands for what is in `otherwise`. Throws std::invalid_argument,
// naming the values that the game has.
Variation VariationOf(const Game& game, std::int64_t mode, std::int64_t difficulty,
                      const Variation& otherwise);

// The actions of a task, in the order of their numbers.
std::vector<Action> ActionsOf(const Game& game, bool full_action_space);

// Returns the size of the game's picture.
FrameSize ScreenOf(const Game& game);

}  // namespace envpool::atari
