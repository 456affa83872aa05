// What is known of each game before it is made, and which options fit it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "envpool/options.h"
#include "procgen/engine.h"

namespace envpool::procgen {

inline constexpr int kActions = 15;  // of all games

// Returns the names of all games.
std::vector<std::string> GameNames();

// Returns after how many steps the engine ends an episode.
int TimeoutOf(const Options& options);

// True if all episodes have the same level, which is that of the mode exploration.
bool Explores(const Options& options);

// Returns the engine's options but for the seed. Throws std::invalid_argument if they don't fit the
// game or each other; what the engine then gets, it takes.
std::vector<EngineOption> EngineOptionsOf(const Options& options);

}  // namespace envpool::procgen
