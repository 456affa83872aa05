// The games from seaquest to surround.
#include "atari/games/games.h"

namespace envpool::atari {

namespace {

void StepSpaceInvaders(const Memory& memory, Progress& progress) {
  progress.SetScore(memory.Decimal({0xe6, 0xe8}));
  if (progress.reward < 0) progress.reward += 10000;  // after 9999 comes 0
  progress.lives = memory[0xc9];
  progress.is_over = (memory[0x98] & 0x80) != 0 || progress.lives == 0;
}

Game SpaceInvaders() {
  return {.name = "space_invaders",
          .md5 = "72ffbef6504b75e69ee1045af9075f66",
          .actions = kNoop | kFire | kSideways | kSidewaysFire,
          .modes = Range(0, 15),
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepSpaceInvaders,
          .mode_switch = {.address = 0xdc}};
}

}  // namespace

std::vector<Game> GamesS() { return {SpaceInvaders()}; }

}  // namespace envpool::atari
