#include "atari/game.h"

#include <ale/games/Roms.hpp>
#include <algorithm>
#include <stdexcept>
#include <utility>

namespace envpool::atari {

namespace {

constexpr int kWidth = 160;
constexpr int kHeight = 210;
// Games for other television sets. ALE itself knows only when it runs them.
constexpr std::pair<const char*, int> kOtherHeights[] = {
    {"adventure", 250},       {"air_raid", 250},  {"carnival", 214}, {"journey_escape", 230},
    {"keystone_kapers", 250}, {"king_kong", 250}, {"klax", 250},     {"laser_gates", 250},
    {"mr_do", 250},           {"pacman", 250},    {"pooyan", 220},   {"sir_lancelot", 250},
    {"space_war", 250},
};

// Throws std::invalid_argument unless `value` is -1 or one of `values`.
void CheckOneOf(const std::vector<unsigned>& values, std::int64_t value, const std::string& what,
                const std::string& game) {
  if (value == -1 || std::ranges::find(values, value) != values.end()) return;
  std::string expected = "-1 (the default)";
  for (const unsigned known : values) expected += ", " + std::to_string(known);
  throw std::invalid_argument(what + " is " + std::to_string(value) + ", expected for " + game +
                              " one of " + expected);
}

}  // namespace

std::unique_ptr<ale::RomSettings> RulesOf(const std::string& game) {
  std::unique_ptr<ale::RomSettings> rules(ale::buildRomRLWrapper(game, ""));
  if (rules == nullptr || rules->rom() != game) {
    throw std::invalid_argument("task is '" + game + "', expected the name of a game such as " +
                                "'pong' or 'space_invaders'");
  }
  return rules;
}

std::vector<ale::Action> ActionsOf(const std::string& game, bool full_action_space) {
  const auto rules = RulesOf(game);
  return full_action_space ? rules->getAllActions() : rules->getMinimalActionSet();
}

void CheckMode(const std::string& game, std::int64_t mode) {
  CheckOneOf(RulesOf(game)->getAvailableModes(), mode, "mode", game);
}

void CheckDifficulty(const std::string& game, std::int64_t difficulty) {
  CheckOneOf(RulesOf(game)->getAvailableDifficulties(), difficulty, "difficulty", game);
}

FrameSize ScreenOf(const std::string& game) {
  for (const auto& [name, height] : kOtherHeights) {
    if (name == game) return {kWidth, height};
  }
  return {kWidth, kHeight};
}

}  // namespace envpool::atari
