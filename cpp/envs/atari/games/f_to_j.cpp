// The games from fishing_derby to journey_escape.
#include "atari/games/games.h"

namespace envpool::atari {

namespace {

}  // namespace

std::vector<Game> GamesFToJ() { return {}; }

}  // namespace envpool::atari
