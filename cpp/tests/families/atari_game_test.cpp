// Tests of the games' facts and rules, without a console. That the rules are ALE's is shown by the
// tests of Python, which play.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "atari/game.h"

namespace envpool::atari {
namespace {

constexpr std::size_t kGames = 104;

using Bytes = std::array<std::uint8_t, 128>;

constexpr Bytes kZeros = {};

// A console whose select switch does nothing.
class FakeConsole final : public Console {
 public:
  Memory Bytes() const override { return {kZeros, kZeros}; }
  void PressSelect(int) override {}
  void PressReset() override {}
  void Act(Action) override {}
  std::uint32_t Random() override { return 0; }
};

std::vector<Game> GamesOfOneAndTwo() {
  std::vector<Game> games(AllGames().begin(), AllGames().end());
  for (const Game& game : AllGames()) {
    if (!game.two_players.modes.empty()) games.push_back(GameOf(game.name, 2));
  }
  return games;
}

TEST(AtariGame, EachHasItsFacts) {
  ASSERT_EQ(AllGames().size(), kGames);
  std::set<std::string> roms;
  for (const Game& game : AllGames()) {
    SCOPED_TRACE(game.name);
    EXPECT_EQ(FindGame(game.name), &game);
    EXPECT_EQ(game.md5.size(), 32U);
    EXPECT_TRUE(roms.insert(game.md5).second);
    EXPECT_NE(game.step, nullptr);
    EXPECT_FALSE(game.modes.empty());
    EXPECT_FALSE(game.difficulties.empty());
    EXPECT_NE(game.actions, 0U);
    EXPECT_EQ(game.actions & ~game.legal_actions, 0U);
    EXPECT_EQ(game.height == 250, game.is_pal);
    EXPECT_GT(game.most_paddle, kLeastPaddle);
  }
  EXPECT_TRUE(std::ranges::is_sorted(AllGames(), {}, &Game::name));
}

TEST(AtariGame, NoRuleOverflowsWhateverMemoryHolds) {
  std::uint32_t random = 1;
  for (const Game& game : GamesOfOneAndTwo()) {
    Progress progress;
    game.Start(progress);
    for (int frame = 0; frame < 2000; ++frame) {
      Bytes bytes;
      Bytes cartridge;
      for (Bytes* filled : {&bytes, &cartridge}) {
        for (std::uint8_t& byte : *filled) {
          random = random * 1664525 + 1013904223;
          byte = static_cast<std::uint8_t>(random >> 24);
        }
      }
      game.step(Memory(bytes, cartridge), progress);
      EXPECT_GE(game.LivesLeft(progress), -1 << 28);
      EXPECT_GE(game.Reward(progress, 1), -1 << 28);
    }
  }
}

TEST(AtariGame, ModesThatNeverShowAreGivenUp) {
  for (const Game& game : AllGames()) {
    if (game.mode_switch.address == -1 && game.set_mode == nullptr) continue;
    SCOPED_TRACE(game.name);
    FakeConsole console;
    Progress progress;
    const int mode = game.name == "backgammon" ? 0 : game.modes.back();
    EXPECT_THROW(game.SetMode(console, progress, mode), std::runtime_error);
  }
}

TEST(AtariGame, WildProgressIsRefused) {
  std::string bytes;
  Archive writer = Archive::Writer(bytes);
  Progress written = {.score = 1 << 30};
  written.Serialize(writer);
  Archive reader = Archive::Reader(bytes);
  Progress read;
  EXPECT_THROW(read.Serialize(reader), std::invalid_argument);
}

}  // namespace
}  // namespace envpool::atari
