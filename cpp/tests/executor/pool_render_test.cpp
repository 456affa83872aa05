// Pictures of environments, and what else happens while they are drawn.
#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

// The Canvas environment; `errors` are its options render_error, one per environment.
std::unique_ptr<Pool> MakeCanvases(const std::vector<std::string>& errors, int num_threads,
                                   double render_ms = 0.0) {
  const EnvType& type = TestType("Canvas");
  const auto count = static_cast<int>(errors.size());
  PoolConfig config = MakeConfig(type, count, count, num_threads);
  config.options.assign(errors.size(), Options(type.options));
  for (std::size_t env = 0; env < errors.size(); ++env) {
    config.options[env].Set("render_error", errors[env]);
    config.options[env].Set("render_ms", render_ms);
  }
  auto pool = std::make_unique<Pool>(OfType(type, std::move(config)));
  Reset(*pool);
  return pool;
}

std::size_t CountPixels(Pool& pool, const Ints& ids, FrameSize size = {4, 3}) {
  return pool.Loans().Render(ids, size, -1, NeverInterrupted)->All().size();
}

TEST(Render, RefusesWhatPythonNeverAsksFor) {
  const auto pool = MakeCanvases({"none"}, 2);
  EXPECT_EQ(Refusal([&] { CountPixels(*pool, {0}, {0, 3}); }),
            "the size of a picture is 0 x 3, expected at least 1 x 1");
  EXPECT_EQ(CountPixels(*pool, {0}), 4U * 3 * 3);
  const auto plain = MakePool("Counting", 1, 1, 1);
  Reset(*plain);
  EXPECT_EQ(Refusal([&] { CountPixels(*plain, {0}); }),
            "environment 0 was not rendered: this environment cannot be rendered");
}

TEST(Describe, TellsOfEachEnvironmentInTheOrderOfTheIds) {
  const auto pool = MakeCanvases(std::vector<std::string>(3, "none"), 2);
  Step(*pool, 0);
  const std::vector<Scene> scenes = pool->Loans().Describe(Ints{2, 0}, NeverInterrupted);
  ASSERT_EQ(scenes.size(), 2U);
  for (const Scene& scene : scenes) {
    EXPECT_EQ(scene.at("state")[1], 1.0);
    EXPECT_EQ(scene.at("nothing").size(), 0U);
  }
  EXPECT_NE(scenes[0], scenes[1]);
  EXPECT_EQ(pool->Loans().Describe(Ints{0}, NeverInterrupted)[0], scenes[1]);
  EXPECT_TRUE(pool->Loans().Describe({}, NeverInterrupted).empty());
}

TEST(Describe, RefusesWhatRenderRefuses) {
  const auto pool = MakeCanvases({"none", "runtime_error", "none"}, 2);
  const auto refusal = [](Pool& asked, const Ints& ids) {
    return Refusal([&] { asked.Loans().Describe(ids, NeverInterrupted); });
  };
  EXPECT_EQ(refusal(*pool, {0, 1}), "environment 1 was not rendered: failed on purpose in render");
  EXPECT_EQ(refusal(*pool, {0, 0}), "env_id 0 is repeated");
  EXPECT_EQ(refusal(*pool, {3}), "env_id[0] is 3, expected 0 <= env_id < num_envs = 3");
  EXPECT_EQ(Step(*pool, 0).rows, 3U) << "none is broken";

  const auto fresh = MakePool("Canvas", 1, 1, 1);
  EXPECT_EQ(refusal(*fresh, {0}), "environment 0 has no episode to render: reset it first");
  const auto plain = MakePool("Counting", 1, 1, 1);
  Reset(*plain);
  EXPECT_EQ(refusal(*plain, {0}),
            "environment 0 was not rendered: this environment cannot be rendered");
}

TEST(Describe, IsInterruptedAndCut) {
  const auto pool = MakeCanvases(std::vector<std::string>(100, "none"), 4, 10.0);
  EXPECT_THROW(pool->Loans().Describe(pool->AllIds(), InterruptAtOnce), Interrupted);
  while (!Refusal([&] { Step(*pool, 0); }).empty()) std::this_thread::yield();
}

TEST(Close, ReleasesInTheDestructorToo) {
  auto pool = std::make_unique<Pool>(OfType(HeldEnv::Type(), MakeConfig(HeldEnv::Type(), 3, 3, 1)));
  Reset(*pool);
  HeldEnv::releases = 0;
  pool.reset();
  EXPECT_EQ(HeldEnv::releases, 3);
}

}  // namespace
}  // namespace envpool
