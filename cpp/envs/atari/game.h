// Functions that return what ALE knows of a game without running it.
#pragma once

#include <ale/common/Constants.h>

#include <ale/games/RomSettings.hpp>
#include <memory>
#include <string>
#include <vector>

#include "envpool/family.h"

namespace envpool::atari {

// The rules of a game: its actions, modes, difficulties, rewards and lives.
// Throws std::invalid_argument if ALE has no such game.
std::unique_ptr<ale::RomSettings> RulesOf(const std::string& game);

// The actions of a task, in the order of their numbers.
std::vector<ale::Action> ActionsOf(const std::string& game, bool full_action_space);

// Both throw std::invalid_argument, naming the values that the game has. -1 is its default.
void CheckMode(const std::string& game, std::int64_t mode);
void CheckDifficulty(const std::string& game, std::int64_t difficulty);

// Returns the size of the game's picture.
FrameSize ScreenOf(const std::string& game);

}  // namespace envpool::atari
