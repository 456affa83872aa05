#include "procgen/game_rules.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace envpool::procgen {

namespace {

// The engine's numbers of how levels are drawn; it does not know exploration, one hard level.
enum class Mode { kEasy = 0, kHard = 1, kExtreme = 2, kMemory = 10, kExploration = 20 };

struct GameRules {
  std::string name;
  int timeout = 1000;                  // steps after which the engine ends an episode
  std::vector<Mode> modes = {};        // beside easy and hard
  std::int64_t exploration_level = 0;  // the level of that mode, if the game has it
};

// Of procgen 0.10.7: timeouts and modes are its engine's, levels of exploration are in its env.py.
const std::vector<GameRules>& AllRules() {
  using enum Mode;
  static const auto& rules = *new std::vector<GameRules>{
      {"bigfish", 6000},
      {"bossfight", 4000},
      {"caveflyer", 1000, {kMemory, kExploration}, 1259048185},
      {"chaser", 1000, {kExtreme}},
      {"climber", 1000, {kExploration}, 1561126160},
      {"coinrun", 1000, {kExploration}, 1949448038},
      {"dodgeball", 1000, {kExtreme, kMemory}},
      {"fruitbot", 1000},
      {"heist", 1000, {kMemory, kExploration}, 876640971},
      {"jumper", 1000, {kMemory, kExploration}, 1434825276},
      {"leaper", 500, {kExtreme, kExploration}, 1318677581},
      {"maze", 500, {kMemory, kExploration}, 158988835},
      {"miner", 1000, {kMemory}},
      {"ninja", 1000, {kExploration}, 1123500215},
      {"plunder", 4000},
      {"starpilot", 1000, {kExtreme}},
  };
  return rules;
}

const GameRules& RulesOf(const Options& options) {
  return *std::ranges::find(AllRules(), options.Text("env_name"), &GameRules::name);
}

constexpr std::pair<Mode, std::string_view> kModeNames[] = {{Mode::kEasy, "easy"},
                                                            {Mode::kHard, "hard"},
                                                            {Mode::kExtreme, "extreme"},
                                                            {Mode::kMemory, "memory"},
                                                            {Mode::kExploration, "exploration"}};

bool HasMode(const GameRules& rules, Mode mode) {
  return mode == Mode::kEasy || mode == Mode::kHard ||
         std::ranges::find(rules.modes, mode) != rules.modes.end();
}

Mode ModeOf(const GameRules& rules, std::int64_t number) {
  std::string known;
  for (const auto& [mode, name] : kModeNames) {
    if (!HasMode(rules, mode)) continue;
    if (number == static_cast<int>(mode)) return mode;
    known.append(known.empty() ? "" : ", ").append(std::to_string(static_cast<int>(mode)));
    known.append(" (").append(name).append(")");
  }
  throw std::invalid_argument("distribution_mode is " + std::to_string(number) + ", but " +
                              rules.name + " has " + known);
}

struct Levels {
  std::int64_t first = 0;
  std::int64_t count = 0;  // 0: as many as there are
};

Levels LevelsOf(const GameRules& rules, Mode mode, const Options& options) {
  const Levels levels = {options.Integer("start_level"), options.Integer("num_levels")};
  if (mode == Mode::kExploration) {
    if (levels.first != 0 || levels.count != 0) {
      throw std::invalid_argument("start_level is " + std::to_string(levels.first) +
                                  " and num_levels is " + std::to_string(levels.count) +
                                  ", expected 0: exploration has one level of its own");
    }
    return {rules.exploration_level, 1};
  }
  if (levels.first + levels.count > std::numeric_limits<std::int32_t>::max()) {
    throw std::invalid_argument("start_level + num_levels is " +
                                std::to_string(levels.first + levels.count) +
                                ", expected at most 2147483647");
  }
  return levels;
}

}  // namespace

std::vector<std::string> GameNames() {
  std::vector<std::string> names;
  for (const GameRules& rules : AllRules()) names.push_back(rules.name);
  return names;
}

int TimeoutOf(const Options& options) {
  const GameRules& rules = RulesOf(options);
  const bool is_longer = rules.name == "jumper" &&
                         ModeOf(rules, options.Integer("distribution_mode")) == Mode::kMemory;
  return is_longer ? 2 * rules.timeout : rules.timeout;
}

bool Explores(const Options& options) {
  return options.Integer("distribution_mode") == static_cast<int>(Mode::kExploration);
}

std::vector<EngineOption> EngineOptionsOf(const Options& options) {
  const GameRules& rules = RulesOf(options);
  const Mode mode = ModeOf(rules, options.Integer("distribution_mode"));
  const Levels levels = LevelsOf(rules, mode, options);
  const Mode drawn = mode == Mode::kExploration ? Mode::kHard : mode;
  std::vector<EngineOption> result = {
      EngineOption::Text("env_name", rules.name),
      EngineOption::Number("num_levels", levels.count),
      EngineOption::Number("start_level", levels.first),
      EngineOption::Number("num_actions", kActions),
      EngineOption::Number("debug_mode", 0),
      EngineOption::Number("num_threads", 0),
      EngineOption::Number("distribution_mode", static_cast<int>(drawn)),
  };
  for (const char* name :
       {"use_sequential_levels", "center_agent", "use_generated_assets", "use_monochrome_assets",
        "restrict_themes", "use_backgrounds", "paint_vel_info", "use_easy_jump"}) {
    result.push_back(EngineOption::Flag(name, options.Flag(name)));
  }
  return result;
}

}  // namespace envpool::procgen
