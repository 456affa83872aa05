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

// A console whose select switch counts up a byte, if there is one to count.
class FakeConsole final : public Console {
 public:
  explicit FakeConsole(int counts) : counts_(counts) {}

  Memory Bytes() const override { return {bytes_, kZeros}; }
  void PressSelect(int frames) override {
    presses.push_back(frames);
    if (counts_ != -1) ++bytes_.at(static_cast<std::size_t>(counts_ & 0x7f));
  }
  void PressReset() override { ++resets; }
  void Act(Action) override {}
  std::uint32_t Random() override { return 0; }

  std::vector<int> presses;
  int resets = 0;

 private:
  const int counts_;
  std::array<std::uint8_t, 128> bytes_ = {};
};

// Returns what a game knows after it has seen these bytes of memory, the last ones last.
Progress Play(const std::string& game, const std::vector<Bytes>& frames) {
  Progress progress;
  GameOf(game).Start(progress);
  for (const Bytes& frame : frames) GameOf(game).step(Memory(frame, kZeros), progress);
  return progress;
}

struct Poke {
  int address;
  int byte;
};

Bytes With(const std::vector<Poke>& pokes) {
  Bytes bytes = {};
  for (const auto& [address, byte] : pokes) {
    bytes.at(static_cast<std::size_t>(address & 0x7f)) = static_cast<std::uint8_t>(byte);
  }
  return bytes;
}

std::string ErrorOf(const auto& function) {
  try {
    function();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

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

TEST(AtariGame, WrongNamesAndNumbersAreRefused) {
  EXPECT_EQ(FindGame("tag"), nullptr);
  EXPECT_EQ(ErrorOf([] { GameOf("tag"); }),
            "task is 'tag', expected the name of a game such as 'pong' or 'space_invaders'");
  const Game& pong = GameOf("pong");
  EXPECT_EQ(ErrorOf([&] { CheckMode(pong, 2); }),
            "mode is 2, expected for pong one of -1 (the default), 0, 1");
  EXPECT_EQ(ErrorOf([&] { CheckDifficulty(pong, 4); }),
            "difficulty is 4, expected for pong one of -1 (the default), 0, 1, 2, 3");
  EXPECT_EQ(ErrorOf([&] { CheckMode(pong, -1); }), "");
  EXPECT_EQ(ErrorOf([&] { CheckDifficulty(pong, 3); }), "");
}

TEST(AtariGame, ActionsAreInTheOrderOfTheirNumbers) {
  using enum Action;
  EXPECT_EQ(ActionsOf(GameOf("pong"), false),
            (std::vector{kNoop, kFire, kRight, kLeft, kRightFire, kLeftFire}));
  EXPECT_EQ(ActionsOf(GameOf("pong"), true).size(), 18U);
  EXPECT_EQ(ActionsOf(GameOf("skiing"), true).size(), 9U);  // whose button nobody may press
}

TEST(AtariGame, ScoresAreRewarded) {
  EXPECT_EQ(Play("pong", {With({{0x8e, 3}}), With({{0x8d, 1}, {0x8e, 3}})}).reward, -1);
  EXPECT_TRUE(Play("pong", {With({{0x8e, 21}})}).is_over);
  const Bytes before = With({{0xe6, 0x99}, {0xe8, 0x95}, {0xc9, 3}});
  const Bytes after = With({{0xe8, 0x10}, {0xc9, 3}});
  EXPECT_EQ(Play("space_invaders", {before, after}).reward, 15);
}

TEST(AtariGame, LivesAreCountedUntilTheGameIsOver) {
  const Game& breakout = GameOf("breakout");
  const Bytes no_life = {};
  const Bytes all_lives = With({{0xb9, 5}});
  EXPECT_FALSE(Play("breakout", {no_life}).is_over);  // it has not begun
  EXPECT_EQ(breakout.LivesLeft(Play("breakout", {no_life, all_lives})), 5);
  EXPECT_TRUE(Play("breakout", {all_lives, no_life}).is_over);
  EXPECT_EQ(breakout.LivesLeft(Play("breakout", {all_lives, no_life})), 0);
  EXPECT_EQ(GameOf("pong").LivesLeft({}), 0);
  EXPECT_EQ(GameOf("adventure").LivesLeft({.is_over = true}), 1);
  EXPECT_EQ(GameOf("alien").LivesLeft({.lives = 2, .is_over = true}), 2);
  EXPECT_EQ(GameOf("basic_math").LivesLeft({}), 1);
}

TEST(AtariGame, ModesAreSelected) {
  Progress progress;
  FakeConsole pong(0x96);
  GameOf("pong").SetMode(pong, progress, 1);
  EXPECT_EQ(pong.presses, (std::vector{2}));
  EXPECT_EQ(pong.resets, 1);
  FakeConsole air_raid(0xaa);
  GameOf("air_raid").SetMode(air_raid, progress, 3);
  EXPECT_EQ(air_raid.presses, (std::vector{20, 10, 10}));
  FakeConsole amidar(-1);
  GameOf("amidar").SetMode(amidar, progress, 0);
  EXPECT_TRUE(amidar.presses.empty());
  EXPECT_EQ(amidar.resets, 0);
}

TEST(AtariGame, ModesThatNeverShowAreGivenUp) {
  for (const Game& game : AllGames()) {
    if (game.mode_switch.address == -1 && game.set_mode == nullptr) continue;
    SCOPED_TRACE(game.name);
    FakeConsole console(-1);
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
