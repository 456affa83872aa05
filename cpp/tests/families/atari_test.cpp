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
 public:
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
    return Pool(OfType(FindType(ATARI_LIBRARY, "Atari"), config));
  }

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

Pool MakeAllGames(int num_threads) {
  return AtariTest::MakeAtari(WithAllGames(AtariTest::Config(10, num_threads)));
}

std::vector<std::uint8_t> StepGames(Pool& pool, int step) {
  const std::vector<std::int32_t> actions(pool.AllIds().size(), step % 18);
  return Observations<std::uint8_t>(pool, StepAll(pool, actions));
}

TEST_F(AtariTest, ThreadsDontChangeResults) {
  ExpectThreadsDontMatter(MakeAllGames, StepGames, 40);
}

TEST_F(AtariTest, ASnapshotGoesOnInAnotherPool) {
  ExpectSnapshotsGoOn(MakeAllGames, StepGames, 20);
}

TEST_F(AtariTest, RomsAreInTheFolderOfTheSettingIfNothingElseIsSaid) {
  unsetenv("ALE_ROMS_DIR");
  EXPECT_NE(Refusal([&] { MakeAtari(Config(2, 1)); }), "");
  Options settings;
  settings.Set("rom_folder", folder_.string());
  Configure(ATARI_LIBRARY, settings);
  EXPECT_EQ(Refusal([&] { MakeAtari(Config(2, 1)); }), "");
  Configure(ATARI_LIBRARY, {});
}

}  // namespace
}  // namespace envpool
