// The games from tennis to zaxxon.
#include "atari/games/games.h"

namespace envpool::atari {

namespace {

}  // namespace

std::vector<Game> GamesTToZ() { return {}; }

}  // namespace envpool::atari
