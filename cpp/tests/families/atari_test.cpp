// Atari's games in a pool: threads, snapshots, and ROMs that are missing or wrong.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/families/family_fixture.h"

namespace envpool {
namespace {

// Games that differ in how they run: a larger screen, paddles, more than one bank of memory, and
// frames that take longer than the television allows.
const std::vector<std::string> kGames = {"pong", "klax", "breakout", "qbert", "tetris"};

// A folder of ROMs of the test's own.
class AtariTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("envpool_roms_" + std::to_string(getpid()));
    std::filesystem::create_directory(folder_);
    for (const std::string& game : kGames) {
      std::filesystem::copy_file(std::filesystem::path(ALE_ROMS) / (game + ".bin"), Rom(game));
    }
    setenv("ALE_ROMS_DIR", folder_.c_str(), 1);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path Rom(const std::string& game) const { return folder_ / (game + ".bin"); }

  static PoolConfig Config(int num_envs, int num_threads, const std::string& game = "pong") {
    const EnvType& type = FindType(ATARI_LIBRARY, "Atari");
    PoolConfig config = MakeConfig(type, num_envs, num_envs, num_threads);
    config.options[0].Set("task", game);
    config.options[0].Set("repeat_action_probability", 0.25);
    config.options[0].Set("episodic_life", true);
    config.max_episode_steps = 15;
    return config;
  }
  static Pool MakeAtari(const PoolConfig& config) {
    return Pool(FindType(ATARI_LIBRARY, "Atari"), config);
  }

  std::filesystem::path folder_;
};

// One environment per game.
PoolConfig WithAllGames(PoolConfig config) {
  config.options.assign(config.seeds.size(), config.options[0]);
  for (std::size_t env = 0; env < config.options.size(); ++env) {
    config.options[env].Set("task", kGames[env % kGames.size()]);
    config.options[env].Set("full_action_space", true);
  }
  return config;
}

Delivery StepAll(Pool& pool, int action) {
  return StepAll(pool, std::vector<std::int32_t>(pool.AllIds().size(), action));
}

std::vector<std::uint8_t> Frames(const Pool& pool, const Delivery& delivery) {
  return Observations<std::uint8_t>(pool, delivery);
}

TEST_F(AtariTest, ThreadsDontChangeResults) {
  const PoolConfig config = WithAllGames(Config(10, 1));
  PoolConfig threaded = config;
  threaded.num_threads = 4;
  Pool one = MakeAtari(config);
  Pool four = MakeAtari(threaded);
  ASSERT_EQ(Frames(one, ResetAll(one)), Frames(four, ResetAll(four)));
  for (int step = 0; step < 40; ++step) {
    ASSERT_EQ(Frames(one, StepAll(one, step % 18)), Frames(four, StepAll(four, step % 18)));
  }
}

TEST_F(AtariTest, ASnapshotGoesOnInAnotherPool) {
  const PoolConfig config = WithAllGames(Config(5, 2));
  Pool pool = MakeAtari(config);
  Pool other = MakeAtari(config);
  ResetAll(pool);
  for (int step = 0; step < 20; ++step) StepAll(pool, step % 18);
  const std::vector<std::string> states = pool.Loans().GetState(pool.AllIds());
  other.Loans().SetState(other.AllIds(),
                         std::vector<std::string_view>(states.begin(), states.end()));
  EXPECT_EQ(other.Loans().GetState(other.AllIds()), states);
  for (int step = 0; step < 20; ++step) {
    ASSERT_EQ(Frames(pool, StepAll(pool, step % 18)), Frames(other, StepAll(other, step % 18)));
  }
}

TEST_F(AtariTest, WithoutItsRomAGameIsNotMade) {
  std::filesystem::remove(Rom("pong"));
  EXPECT_EQ(Refusal([&] { MakeAtari(Config(2, 1)); }),
            "the ROM of the game pong is missing: there is no file " + Rom("pong").string());
  std::filesystem::copy_file(Rom("klax"), Rom("pong"));
  const std::string refusal = Refusal([&] { MakeAtari(Config(2, 1)); });
  EXPECT_NE(refusal.find("is not the ROM that ALE supports as pong"), std::string::npos) << refusal;
  setenv("ALE_ROMS_DIR", (folder_ / "nowhere").c_str(), 1);
  EXPECT_EQ(
      Refusal([&] { MakeAtari(Config(2, 1)); }),
      "the ROM of the game pong is missing: " + (folder_ / "nowhere").string() + " is no folder");
}

TEST_F(AtariTest, RomsAreInTheFolderOfTheSettingIfNothingElseIsSaid) {
  unsetenv("ALE_ROMS_DIR");
  EXPECT_NE(Refusal([&] { MakeAtari(Config(2, 1)); }), "");
  Options settings;
  settings.Set("rom_folder", folder_.string());
  Configure(LoadFamily(ATARI_LIBRARY), settings);
  EXPECT_EQ(Refusal([&] { MakeAtari(Config(2, 1)); }), "");
  Configure(LoadFamily(ATARI_LIBRARY), {});
}

TEST_F(AtariTest, AGameThatIsMadeNeedsItsRomNoMore) {
  Pool pool = MakeAtari(Config(2, 2));
  std::filesystem::remove(Rom("pong"));
  EXPECT_TRUE(ResetAll(pool).errors.empty());
}

TEST_F(AtariTest, SnapshotsAreSmall) {
  const PoolConfig config = WithAllGames(Config(5, 2));
  Pool pool = MakeAtari(config);
  ResetAll(pool);
  for (int step = 0; step < 20; ++step) StepAll(pool, step % 18);
  for (const std::string& state : pool.Loans().GetState(pool.AllIds())) {
    EXPECT_LT(state.size(), 25'000U);
    EXPECT_GT(state.size(), 1'000U);
  }
}

}  // namespace
}  // namespace envpool
