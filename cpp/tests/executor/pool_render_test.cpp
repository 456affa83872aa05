// Pictures of environments, and what else happens while they are drawn.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

using Pixels = std::vector<std::uint8_t>;

constexpr int kHeld = 1;  // the camera of a picture that is held, and the action of such a step
constexpr FrameSize kSize = {4, 3};
constexpr std::size_t kBytes = 4 * 3 * 3;

constexpr const char* kIsRendered = " is being rendered by another call: wait for it first";

constexpr const char* kClosing =
    "the pool is being closed, and some environments still run: close() waits for them";

std::unique_ptr<Pool> MakeHeldPool(int num_envs, int batch_size, int num_threads) {
  const EnvType& type = HeldEnv::Type();
  auto pool = std::make_unique<Pool>(type, MakeConfig(type, num_envs, batch_size, num_threads));
  pool->SendReset({.env_ids = pool->AllIds()});
  for (int batch = 0; batch < num_envs / batch_size; ++batch) Receive(*pool);
  return pool;
}

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
  auto pool = std::make_unique<Pool>(type, std::move(config));
  Reset(*pool);
  return pool;
}

Pixels Render(Pool& pool, const Ints& ids, int camera = -1,
              Interrupt interrupt = NeverInterrupted) {
  const auto pictures = pool.Loans().Render(ids, kSize, camera, interrupt);
  const auto pixels = pictures->All();
  return {pixels.begin(), pixels.end()};
}

std::string RenderRefusal(Pool& pool, const Ints& ids, int camera = -1) {
  return Refusal([&] { Render(pool, ids, camera); });
}

auto RenderInThread(Pool& pool, const Ints& ids, Interrupt interrupt = NeverInterrupted) {
  return std::async(std::launch::async,
                    [&pool, ids, interrupt] { return Render(pool, ids, kHeld, interrupt); });
}

template <class T>
bool IsBlocked(const std::future<T>& future) {
  return future.wait_for(std::chrono::milliseconds(120)) == std::future_status::timeout;
}

class Threads : public testing::TestWithParam<int> {};

TEST_P(Threads, DrawInTheOrderOfTheIds) {
  const auto pool = MakeCanvases(std::vector<std::string>(5, "none"), GetParam());
  Step(*pool, 0);
  Pixels one_by_one;
  for (const std::int32_t id : Ints{3, 1, 4, 0}) {
    const Pixels picture = Render(*pool, {id});
    EXPECT_NE(picture, Pixels(kBytes)) << "nothing was drawn";
    one_by_one.insert(one_by_one.end(), picture.begin(), picture.end());
  }
  EXPECT_EQ(Render(*pool, {3, 1, 4, 0}), one_by_one);
  EXPECT_NE(Render(*pool, {3}), Render(*pool, {1}));
  EXPECT_NE(Render(*pool, {3}, 1), Render(*pool, {3}, 2));
  EXPECT_EQ(Render(*pool, {}), Pixels());
  EXPECT_EQ(Render(*pool, pool->AllIds()).size(), 5 * kBytes);
}

TEST_P(Threads, TellOfTheFirstEnvironmentThatFails) {
  const auto pool =
      MakeCanvases({"none", "runtime_error", "none", "number", "bad_alloc"}, GetParam());
  EXPECT_EQ(RenderRefusal(*pool, pool->AllIds()),
            "environment 1 was not rendered: failed on purpose in render");
  EXPECT_EQ(RenderRefusal(*pool, {0, 3, 1}),
            "environment 3 was not rendered: an exception that is no std::exception");
  EXPECT_EQ(RenderRefusal(*pool, {4}), "environment 4 was not rendered: std::bad_alloc");
  EXPECT_THROW(Render(*pool, {4}), std::runtime_error);
  EXPECT_EQ(Render(*pool, {2, 0}).size(), 2 * kBytes);
  EXPECT_EQ(Step(*pool, 0).rows, 5U) << "none is broken";
}

TEST_P(Threads, RefuseACamera) {
  const auto pool = MakeCanvases(std::vector<std::string>(3, "none"), GetParam());
  EXPECT_THROW(Render(*pool, {2, 0}, 5), std::invalid_argument);
  EXPECT_EQ(RenderRefusal(*pool, {2, 0}, 5),
            "environment 2 was not rendered: camera_id is 5, expected -1 to 2");
}

INSTANTIATE_TEST_SUITE_P(Numbers, Threads, testing::Values(1, 3, 16));

TEST(Render, RefusesWhatItCannotDraw) {
  const auto pool = MakePool("Canvas", 3, 3, 2);
  EXPECT_EQ(RenderRefusal(*pool, {0}), "environment 0 has no episode to render: reset it first");
  pool->Reset({.env_ids = Ints{0, 1}}, NeverInterrupted);
  EXPECT_EQ(RenderRefusal(*pool, {1, 2}), "environment 2 has no episode to render: reset it first");
  EXPECT_EQ(RenderRefusal(*pool, {0, 0}), "env_id 0 is repeated");
  EXPECT_EQ(RenderRefusal(*pool, {3}), "env_id[0] is 3, expected 0 <= env_id < num_envs = 3");
  EXPECT_EQ(RenderRefusal(*pool, {1, -1}), "env_id[1] is -1, expected 0 <= env_id < num_envs = 3");
  const auto render = [&](FrameSize size) {
    return Refusal([&] { pool->Loans().Render(Ints{0}, size, -1, NeverInterrupted); });
  };
  EXPECT_EQ(render({0, 3}), "the size of a picture is 0 x 3, expected at least 1 x 1");
  EXPECT_EQ(render(kSize), "");
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

  const auto held = MakeHeldPool(2, 2, 2);
  HeldEnv::Hold hold;
  auto pictures = RenderInThread(*held, {1});
  hold.Await(1);
  EXPECT_EQ(refusal(*held, {0, 1}),
            "environment 1 is being rendered by another call: wait for it first");
  hold.Release();
  pictures.get();
}

TEST(Describe, IsInterruptedAndCut) {
  const auto pool = MakeCanvases(std::vector<std::string>(100, "none"), 4, 10.0);
  EXPECT_THROW(pool->Loans().Describe(pool->AllIds(), InterruptAtOnce), Interrupted);
  while (!Refusal([&] { Step(*pool, 0); }).empty()) std::this_thread::yield();
}

TEST(Render, RefusesEnvironmentsThatRunOrHaveFailed) {
  const auto held = MakeHeldPool(2, 2, 2);
  HeldEnv::Hold hold;
  Send(*held, {1}, kHeld);
  EXPECT_EQ(RenderRefusal(*held, {0, 1}),
            "environment 1 is already running: recv() its result first");
  EXPECT_EQ(Render(*held, {0}), Pixels(kBytes, 0));
  hold.Release();
  Receive(*held);
  EXPECT_EQ(Render(*held, {1}), Pixels(kBytes, 1));

  const EnvType& type = TestType("Failing");
  PoolConfig config = MakeConfig(type, 1, 1, 1);
  config.options[0].Set("place", "reset");
  Pool failing(type, std::move(config));
  Reset(failing);
  EXPECT_EQ(RenderRefusal(failing, {0}), "environment 0 has failed: reset it first");
}

TEST(Render, IsRefusedByEnvironmentsWithoutPictures) {
  const auto pool = MakePool("Counting", 1, 1, 1);
  Reset(*pool);
  EXPECT_EQ(RenderRefusal(*pool, {0}),
            "environment 0 was not rendered: this environment cannot be rendered");
}

// What a snapshot says of resets holds for pictures too.
TEST(Render, DrawsAnEnvironmentWhoseStateWasSet) {
  const auto from = MakeHeldPool(1, 1, 1);
  Step(*from, 0);
  const std::string state = from->Loans().GetState(from->AllIds())[0];
  const EnvType& type = HeldEnv::Type();
  Pool pool(type, MakeConfig(type, 2, 2, 1));
  const std::vector<std::string_view> states = {state};
  pool.Loans().SetState(Ints{1}, states);
  EXPECT_EQ(Render(pool, {1}), Pixels(kBytes, 1));
  EXPECT_NE(RenderRefusal(pool, {0}), "");
}

class Meanwhile : public testing::TestWithParam<int> {};

TEST_P(Meanwhile, OtherEnvironmentsGoOnAndTheseAreRefused) {
  const int batch_size = GetParam();
  const auto pool = MakeHeldPool(4, batch_size, 2);
  const std::string state = pool->Loans().GetState(Ints{0})[0];
  HeldEnv::Hold hold;
  auto pictures = RenderInThread(*pool, {0, 1});
  hold.Await(2);
  const std::vector<std::function<void()>> calls = {
      [&] { Send(*pool, {2, 0}, 0); },
      [&] { Send(*pool, pool->AllIds(), 0); },
      [&] { pool->SendReset({.env_ids = Ints{0}}); },
      [&] { pool->Reset({.env_ids = pool->AllIds()}, NeverInterrupted); },
      [&] { pool->Loans().GetState(Ints{0}); },
      [&] { pool->Loans().GetState(pool->AllIds()); },
      [&] { pool->Loans().SetState(Ints{0}, std::vector<std::string_view>{state}); },
      [&] { pool->Loans().SetOptions(Ints{0}, {{}}); },
      [&] { pool->Loans().GetRandom(); },
      [&] { pool->Loans().GetElapsedSteps(); },
      [&] { Render(*pool, {3, 0}); },
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(Refusal(calls[i]),
              "environment 0 is being rendered by another call: wait for it first")
        << i;
  }
  Send(*pool, {2, 3}, 0);
  for (int batch = 0; batch < (batch_size == 4 ? 1 : 2 / batch_size); ++batch) Receive(*pool);
  EXPECT_EQ(Render(*pool, {3, 2}), Pixels(2 * kBytes, 1));
  EXPECT_TRUE(IsBlocked(pictures));
  hold.Release();
  EXPECT_EQ(pictures.get(), Pixels(2 * kBytes, 0));
  EXPECT_EQ(pool->Loans().GetElapsedSteps(), (Ints{0, 0, 1, 1}));
  Send(*pool, pool->AllIds(), 0);
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, Meanwhile, testing::Values(4, 2, 1));

TEST(Render, LeavesAnEndedEpisodeEnded) {
  const EnvType& type = TestType("Canvas");
  PoolConfig config = MakeConfig(type, 1, 1, 1);
  config.options[0].Set("episode_length", std::int64_t{1});
  config.autoreset_mode = AutoresetMode::kDisabled;
  Pool pool(type, std::move(config));
  EXPECT_EQ(RenderRefusal(pool, {0}), "environment 0 has no episode to render: reset it first");
  Reset(pool);
  Step(pool, 0);
  const Pixels last = Render(pool, {0});
  EXPECT_NE(Refusal([&] { Step(pool, 0); }).find("has no episode to step"), std::string::npos);
  EXPECT_EQ(Render(pool, {0}), last);
  Reset(pool);
  EXPECT_EQ(Step(pool, 0).rows, 1U);
}

TEST(Interrupt, LeavesThePicturesThatWereBegunAndSkipsTheRest) {
  const auto pool = MakeHeldPool(4, 4, 2);
  HeldEnv::Hold hold;
  static std::atomic<bool> is_begun = false;
  is_begun = false;
  auto pictures = RenderInThread(*pool, pool->AllIds(), [] {
    if (is_begun) throw Interrupted();
  });
  hold.Await(2);
  is_begun = true;
  EXPECT_THROW(pictures.get(), Interrupted);
  for (const std::int32_t id : pool->AllIds()) {
    EXPECT_EQ(RenderRefusal(*pool, {id}), "environment " + std::to_string(id) + kIsRendered);
  }
  hold.Release();
  while (!RenderRefusal(*pool, {0}).empty()) std::this_thread::yield();
  EXPECT_EQ(hold.Count(), 2);
  EXPECT_EQ(Step(*pool, 0).rows, 4U);
  EXPECT_EQ(Render(*pool, pool->AllIds()), Pixels(4 * kBytes, 1));
}

TEST(Interrupt, EndsAClosureOfAPoolWhosePicturesWereLeft) {
  const auto pool = MakeHeldPool(2, 2, 2);
  HeldEnv::Hold hold;
  static std::atomic<bool> is_begun = false;
  is_begun = false;
  auto pictures = RenderInThread(*pool, {0}, [] {
    if (is_begun) throw Interrupted();
  });
  hold.Await(1);
  is_begun = true;
  EXPECT_THROW(pictures.get(), Interrupted);
  EXPECT_THROW(pool->Close(InterruptAtOnce), Interrupted);
  EXPECT_FALSE(pool->Close(NeverInterrupted, Clock::now() + std::chrono::milliseconds(5)));
  EXPECT_EQ(RenderRefusal(*pool, {1}), kClosing);
  hold.Release();
  EXPECT_TRUE(pool->Close());
  EXPECT_EQ(Render(*pool, {1}), Pixels(kBytes, 0));
}

// Python's signal handlers run in an interrupt.
TEST(Interrupt, MayUseThePoolButNotCloseIt) {
  static Pool* pool = nullptr;
  static std::string refusal;
  static Pixels picture;
  const auto owner = MakeHeldPool(4, 1, 2);
  pool = owner.get();
  picture.clear();
  HeldEnv::Hold hold;
  auto pictures = RenderInThread(*pool, {0, 1}, [] {
    if (!picture.empty()) return;
    refusal = Refusal([] { pool->Close(); });
    picture = Render(*pool, {3});
    Send(*pool, {2}, 0);
    Receive(*pool);
  });
  hold.Await(2);
  EXPECT_TRUE(IsBlocked(pictures));
  hold.Release();
  pictures.get();
  EXPECT_EQ(refusal, "the pool was called by a signal handler during another call");
  EXPECT_EQ(picture, Pixels(kBytes, 0));
  EXPECT_EQ(pool->Loans().GetElapsedSteps(), (Ints{0, 0, 1, 0}));
}

TEST(Close, WaitsForThePicturesThatWereBegunAndSkipsTheRest) {
  const auto pool = MakeHeldPool(4, 2, 2);
  HeldEnv::Hold hold;
  auto pictures = RenderInThread(*pool, pool->AllIds());
  hold.Await(2);
  HeldEnv::releases = 0;
  auto close = std::async(std::launch::async, [&] { pool->Close(); });
  EXPECT_TRUE(IsBlocked(close));
  EXPECT_EQ(RenderRefusal(*pool, {0}), kClosing);
  EXPECT_EQ(HeldEnv::releases, 0);
  hold.Release();
  EXPECT_EQ(Refusal([&] { pictures.get(); }), "the pool was closed during render()");
  close.get();
  EXPECT_EQ(HeldEnv::releases, 4);
  EXPECT_EQ(hold.Count(), 2);
  EXPECT_EQ(Render(*pool, pool->AllIds()), Pixels(4 * kBytes, 0));
}

TEST(Close, LeavesWhatIsDrawnAlready) {
  const auto pool = MakeHeldPool(2, 2, 2);
  HeldEnv::Hold hold;
  auto pictures = RenderInThread(*pool, pool->AllIds());
  hold.Await(2);
  auto close = std::async(std::launch::async, [&] { pool->Close(); });
  EXPECT_TRUE(IsBlocked(close));
  hold.Release();
  EXPECT_EQ(pictures.get(), Pixels(2 * kBytes, 0));
  close.get();
}

TEST(Close, InterruptedLeavesThePoolRefusingUntilThePicturesAreDone) {
  const auto pool = MakeHeldPool(2, 1, 2);
  HeldEnv::Hold hold;
  auto pictures = RenderInThread(*pool, {0, 1});
  hold.Await(2);
  HeldEnv::releases = 0;
  EXPECT_THROW(pool->Close(InterruptAtOnce), Interrupted);
  EXPECT_EQ(RenderRefusal(*pool, {0}), kClosing);
  EXPECT_EQ(Refusal([&] { Send(*pool, {0}, 0); }), kClosing);
  hold.Release();
  EXPECT_EQ(pictures.get(), Pixels(2 * kBytes, 0));
  while (RenderRefusal(*pool, {0}) == kClosing) std::this_thread::yield();
  EXPECT_EQ(HeldEnv::releases, 2);
  EXPECT_EQ(Render(*pool, {0}), Pixels(kBytes, 0));
}

TEST(Close, ReleasesInTheDestructorToo) {
  auto pool = MakeHeldPool(3, 3, 1);
  HeldEnv::releases = 0;
  pool.reset();
  EXPECT_EQ(HeldEnv::releases, 3);
}

// Renders, steps, snapshots and closes from many threads: they may refuse each other, nothing else.
TEST(Stress, EverythingAtOnce) {
  const EnvType& type = TestType("Canvas");
  Pool pool(type, MakeConfig(type, 8, 2, 3));
  std::atomic<bool> is_over = false;
  std::atomic<int> drawn = 0;
  const auto repeat = [&](auto call) {
    return std::async(std::launch::async, [&is_over, call] {
      for (unsigned round = 0; !is_over; ++round) Refusal([&] { call(round); });
    });
  };
  std::vector<std::future<void>> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.push_back(repeat([&, thread](unsigned round) {
      const auto id = static_cast<std::int32_t>((round + static_cast<unsigned>(thread)) % 7);
      Render(pool, round % 3 == 0 ? Ints{id} : Ints{id + 1, id});
      ++drawn;
    }));
  }
  threads.push_back(repeat([&](unsigned round) {
    const Ints ids = {static_cast<std::int32_t>(round % 8)};
    if (round % 5 == 0) pool.SendReset({.env_ids = ids});
    Send(pool, ids, 0);
    pool.Receive(std::chrono::milliseconds(1), NeverInterrupted);
  }));
  threads.push_back(repeat([&](unsigned) { pool.Loans().GetState(Ints{3, 5}); }));
  threads.push_back(repeat([&](unsigned) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    pool.Close();
  }));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  is_over = true;
  for (auto& thread : threads) thread.get();
  EXPECT_GT(drawn, 0);
  pool.Close();
  pool.SendReset({.env_ids = pool.AllIds()});
  for (int batch = 0; batch < 4; ++batch) Receive(pool);
  EXPECT_EQ(Render(pool, pool.AllIds()).size(), 8 * kBytes);
}

}  // namespace
}  // namespace envpool
