// The games from carnival to et.
#include "atari/games/games.h"

namespace envpool::atari {

namespace {

}  // namespace

std::vector<Game> GamesCToE() { return {}; }

}  // namespace envpool::atari
