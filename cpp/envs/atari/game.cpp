#include "atari/game.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "atari/games/games.h"

namespace envpool::atari {

namespace {

constexpr int kWidth = 160;

std::vector<Game> MakeGames() {
  std::vector<Game> games;
  for (const auto make :
       {GamesAToB, GamesCToE, GamesFToJ, GamesKToM, GamesNToR, GamesS, GamesTToZ}) {
    std::ranges::move(make(), std::back_inserter(games));
  }
  return games;
}

Game OfTwo(Game game) {
  TwoPlayers& two = game.two_players;
  game.players = 2;
  game.is_duel = two.step == nullptr;
  if (!game.is_duel) game.step = two.step;
  game.start = two.start;
  if (!two.starting_actions.empty()) game.starting_actions = two.starting_actions;
  game.modes = two.modes;
  game.mode_switch = two.mode_switch;
  game.set_mode = two.set_mode;
  game.lives = two.has_lives ? LivesRule::kAlwaysCounted : LivesRule::kNone;
  return game;
}

std::vector<Game> MakeGamesOfTwo() {
  std::vector<Game> games;
  for (const Game& game : AllGames()) {
    if (!game.two_players.modes.empty()) games.push_back(OfTwo(game));
  }
  return games;
}

// Throws std::invalid_argument unless `value` is one of `values`, or -1 for `otherwise`.
int OneOf(const std::vector<int>& values, std::int64_t value, int otherwise,
          const std::string& what, const std::string& game) {
  if (value == -1) return otherwise;
  if (std::ranges::find(values, value) != values.end()) return static_cast<int>(value);
  std::string expected = "-1 (the default)";
  for (const int known : values) expected += ", " + std::to_string(known);
  throw std::invalid_argument(what + " is " + std::to_string(value) + ", expected for " + game +
                              " one of " + expected);
}

}  // namespace

void Progress::Serialize(Archive& archive) {
  constexpr int kMost = 1 << 28;  // so that the rules do not overflow
  archive.Range(score, -kMost, kMost);
  archive.Range(reward, -kMost, kMost);
  archive.Range(lives, -kMost, kMost);
  archive.Range(second_score, -kMost, kMost);
  archive.Range(second_reward, -kMost, kMost);
  archive.Range(second_lives, -kMost, kMost);
  archive(is_over);
  archive.Range(remembered, -kMost, kMost);
}

void Game::Start(Progress& progress) const {
  if (start != nullptr) {
    start(progress);
  } else {
    progress = {};
  }
}

void Game::SetMode(Console& console, Progress& progress, int mode) const {
  if (set_mode != nullptr) {
    set_mode(console, progress, mode);
  } else if (mode_switch.address != -1) {
    const ModeSwitch& by = mode_switch;
    if (by.first_frames > 0) console.PressSelect(by.first_frames);
    SelectUntil(console, by.frames, [&] {
      return (console.Bytes()[by.address] & by.mask) == by.zero + by.step * mode;
    });
    console.PressReset();
  }
}

int Game::Reward(const Progress& progress, int player) const {
  if (player == 0) return progress.reward;
  return is_duel ? -progress.reward : progress.second_reward;
}

int Game::LivesLeft(const Progress& progress, int player) const {
  if (player == 1) return lives == LivesRule::kAlwaysCounted ? progress.second_lives : 0;
  switch (lives) {
    case LivesRule::kOne: return progress.is_over ? 0 : 1;
    case LivesRule::kCounted: return progress.is_over ? 0 : progress.lives;
    case LivesRule::kAlwaysCounted: return progress.lives;
    case LivesRule::kAlwaysOne: return 1;
    case LivesRule::kNone: return 0;
  }
  return 0;
}

std::span<const Game> AllGames() {
  static const std::vector<Game> games = MakeGames();
  return games;
}

const Game* FindGame(const std::string& name) {
  const auto found = std::ranges::find(AllGames(), name, &Game::name);
  return found == AllGames().end() ? nullptr : &*found;
}

const Game& GameOf(const std::string& name) {
  const Game* game = FindGame(name);
  if (game == nullptr) {
    throw std::invalid_argument("task is '" + name + "', expected the name of a game such as " +
                                "'pong' or 'space_invaders'");
  }
  return *game;
}

const Game& GameOf(const std::string& name, std::int64_t players) {
  const Game& game = GameOf(name);
  if (players == 1) return game;
  static const std::vector<Game> games = MakeGamesOfTwo();
  const auto found = std::ranges::find(games, name, &Game::name);
  if (found != games.end()) return *found;
  std::string known;
  for (const Game& other : games) known += (known.empty() ? "" : ", ") + other.name;
  throw std::invalid_argument("players is " + std::to_string(players) + ", expected 1 for " + name +
                              ": two can play " + known);
}

std::vector<Action> ActionsOf(const Game& game, bool full_action_space) {
  const ActionSet set = full_action_space ? game.legal_actions : game.actions;
  std::vector<Action> actions;
  for (int number = 0; number < kNumActions; ++number) {
    const auto action = static_cast<Action>(number);
    if (Contains(set, action)) actions.push_back(action);
  }
  return actions;
}

Variation VariationOf(const Game& game, std::int64_t mode, std::int64_t difficulty,
                      const Variation& otherwise) {
  return {.mode = OneOf(game.modes, mode, otherwise.mode, "mode", game.name),
          .difficulty =
              OneOf(game.difficulties, difficulty, otherwise.difficulty, "difficulty", game.name)};
}

FrameSize ScreenOf(const Game& game) { return {kWidth, game.height}; }

}  // namespace envpool::atari
