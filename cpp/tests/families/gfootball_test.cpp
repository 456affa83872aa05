// Football in a pool: games of several threads, snapshots, and the end of games.
#include <string>
#include <string_view>
#include <vector>

#include "tests/families/family_fixture.h"

namespace envpool {
namespace {

constexpr int kEnvs = 3;
constexpr int kSteps = 25;
constexpr std::int32_t kShot = 12;

class FootballTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Options settings;
    settings.Set("data_folder", std::string(FOOTBALL_DATA));
    Configure(GFOOTBALL_LIBRARY, settings);
  }

  static Pool MakeGames(int num_threads) {
    const EnvType& type = FindType(GFOOTBALL_LIBRARY, "Gfootball");
    PoolConfig config = MakeConfig(type, kEnvs, kEnvs, num_threads);
    config.options[0].Set("env_name", std::string("academy_empty_goal_close"));
    return Pool(OfType(type, config));
  }

  static std::vector<std::uint8_t> Step(Pool& pool, int) {
    return Observations<std::uint8_t>(pool, StepAll(pool, std::vector(kEnvs, kShot)));
  }
};

TEST_F(FootballTest, ThreadsDontChangeResults) { ExpectThreadsDontMatter(MakeGames, Step, kSteps); }

TEST_F(FootballTest, GoesOnFromASnapshot) { ExpectSnapshotsGoOn(MakeGames, Step, kSteps); }

}  // namespace
}  // namespace envpool
