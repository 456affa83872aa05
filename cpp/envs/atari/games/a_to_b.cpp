// The games from adventure to breakout.
#include "atari/games/games.h"

namespace envpool::atari {

namespace {

namespace breakout {
constexpr std::size_t kHasStarted = 0;  // its place in Progress::remembered
}

void StepBreakout(const Memory& memory, Progress& progress) {
  const int hundreds = Memory::LowerDigit(memory[0xcc]);
  progress.SetScore(100 * hundreds + memory.Decimal({0xcd}));
  progress.lives = memory[0xb9];
  int& has_started = progress.remembered[breakout::kHasStarted];
  if (progress.lives == 5) has_started = 1;
  progress.is_over = has_started != 0 && progress.lives == 0;
}

Game Breakout() {
  return {.name = "breakout",
          .md5 = "f34f08e5eb96e500e851a80be3277a56",
          .cartridge = CartridgeKind::k2K,
          .controllers = Controllers::kPaddles,
          .actions = kNoop | kFire | kSideways,
          .modes = Range(0, 44, 4),
          .difficulties = {0, 1},
          .lives = LivesRule::kCounted,
          .step = StepBreakout,
          .mode_switch = {.address = 0xb2, .frames = 1}};
}

}  // namespace

std::vector<Game> GamesAToB() { return {Breakout()}; }

}  // namespace envpool::atari
