// The games from name_this_game to robotank.
#include "atari/games/games.h"

namespace envpool::atari {

namespace {

void StepPong(const Memory& memory, Progress& progress) {
  const int computer = memory[0x8d];
  const int player = memory[0x8e];
  progress.SetScore(player - computer);
  progress.is_over = player == 21 || computer == 21;
}

Game Pong() {
  return {.name = "pong",
          .md5 = "60e0ea3cbe0913d39803477945e9e5ec",
          .cartridge = CartridgeKind::k2K,
          .controllers = Controllers::kSwappedPaddles,
          .actions = kNoop | kFire | kSideways | kSidewaysFire,
          .modes = {0, 1},
          .difficulties = {0, 1, 2, 3},
          .lives = LivesRule::kNone,
          .step = StepPong,
          .mode_switch = {.address = 0x96}};
}

}  // namespace

std::vector<Game> GamesNToR() { return {Pong()}; }

}  // namespace envpool::atari
