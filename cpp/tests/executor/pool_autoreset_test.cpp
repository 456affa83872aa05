// What follows the end of an episode, in each mode.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

constexpr AutoresetMode kModes[] = {AutoresetMode::kNextStep, AutoresetMode::kSameStep,
                                    AutoresetMode::kDisabled};

TEST(SameStep, NeedsOnePlayer) {
  const EnvType& players = TestType("Players");
  PoolConfig config = MakeConfig(players, 2, 2, 1);
  config.autoreset_mode = AutoresetMode::kSameStep;
  config.layout.final_rows = true;
  EXPECT_EQ(Refusal([&] { Pool(OfType(players, config)); }),
            "auto-reset in the same step is only for environments of one player");
}

constexpr const char* kNoEpisode =
    " has no episode to step: without auto-reset it must be reset after the end of an episode, and "
    "before the first one";

TEST(ObserveOthers, IsRefusedWhileOneOfThemIsRunningOrBroken) {
  const EnvType& type = TestType("Failing");
  PoolConfig config = MakeConfig(type, 3, 3, 1);
  config.options.assign(3, Options(type.options));
  config.options[2].Set("place", "step");
  Pool pool(OfType(type, config));
  Reset(pool);
  Step(pool, 0);
  const auto reset = [&pool](const Ints& ids) {
    pool.Reset({.env_ids = ids, .observe_others = true}, NeverInterrupted);
  };
  const auto send_reset = [&pool] { pool.SendReset({.env_ids = Ints{0}, .observe_others = true}); };
  Send(pool, {1}, 0);
  EXPECT_EQ(Refusal(send_reset), "environment 1 is already running: recv() its result first");
  Receive(pool);
  Send(pool, {2}, 0);
  EXPECT_EQ(Receive(pool).errors.size(), 1U);
  EXPECT_EQ(Refusal([&] { reset({0}); }), "environment 2 has failed: reset it first");
  reset({2, 0});
  EXPECT_EQ(Observations(pool, Step(pool, 0)), (Ints{1, 3, 1}));
}

// A caller who computes rewards of whole batches ends episodes by them.
TEST(Judge, EndsEpisodesAsEnvironmentsDo) {
  constexpr double kNothing[] = {0.0, 0.0};
  constexpr double kRewards[] = {1.5, 2.0};
  constexpr bool kNone[] = {false, false};
  constexpr bool kFirst[] = {true, false};
  const Ints ids{0, 2};
  for (const AutoresetMode mode : {AutoresetMode::kNextStep, AutoresetMode::kDisabled}) {
    Pool pool(OfType(TestType("Counting"), CountingConfig(mode, {9, 9, 9}, 3, 1)));
    Reset(pool);
    Step(pool, 0);
    const std::vector<double> before = pool.Loans().Judge(ids, kNothing, kNone);
    EXPECT_EQ(pool.Loans().Judge(ids, kRewards, kFirst),
              (std::vector<double>{before[0] + 1.5, before[1] + 2.0}));
    EXPECT_EQ(Refusal([&] { pool.Loans().Judge(Ints{0}, kRewards, kNone); }),
              "rewards and terminated: expected one per id");
    if (mode == AutoresetMode::kDisabled) {
      EXPECT_EQ(Refusal([&] { Step(pool, 0); }), "environment 0" + std::string(kNoEpisode));
      continue;
    }
    const std::vector<std::string> states = pool.Loans().GetState(pool.AllIds());
    EXPECT_EQ(Observations(pool, Step(pool, 0)), (Ints{0, 2, 2}));
    pool.Loans().SetState(pool.AllIds(),
                          std::vector<std::string_view>{states.begin(), states.end()});
    EXPECT_EQ(Observations(pool, Step(pool, 0)), (Ints{0, 2, 2}));
    Send(pool, {2}, 0);
    EXPECT_EQ(Refusal([&] { pool.Loans().Judge(ids, kRewards, kFirst); }),
              "environment 2 is already running: recv() its result first");
    Receive(pool);
  }
}

// A game without an end, whose every step ends an episode. Fails as its option says, but not before
// it was continued, and until it is reset.
class Frail final : public Env {
 public:
  explicit Frail(const Options& options) : place_(options.Text("place")) {}

  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("game", DType::kInt32, {})},
            .action = {Discrete("action", 2)},
            .info = {}};
  }
  static EnvType Type() {
    return {.name = "Frail",
            .options = {{"place", "never", "'continue', 'observe', 'state', 'step' or 'never'"}},
            .reset_options = {},
            .spec = MakeSpec,
            .create = Create<Frail>};
  }

  void Reset(Random&, const Options&) override {
    ++game_;
    is_continued_ = false;
  }
  bool CanContinue() const override { return true; }
  void Continue(Random&) override {
    is_continued_ = true;
    MayFail("continue");
  }
  StepResult Step(const Action&, Random&) override {
    MayFail("step");
    return {.terminated = true};
  }
  void Observe(const Row& row) const override {
    MayFail("observe");
    row.Observation<std::int32_t>()[0] = game_;
  }
  void Serialize(Archive& archive) override {
    archive.Any(game_);
    archive(is_continued_);
    if (archive.IsReader() && place_ == "state") throw std::runtime_error("on purpose");
  }

 private:
  void MayFail(const std::string& place) const {
    if (place_ == place && is_continued_) throw std::runtime_error("on purpose");
  }

  const std::string place_;
  std::int32_t game_ = 0;
  bool is_continued_ = false;
};

TEST(Continue, WhatHasFailedBeginsANewGame) {
  const EnvType type = Frail::Type();
  for (const std::string place : {"continue", "observe", "state", "step"}) {
    for (const AutoresetMode mode : kModes) {
      PoolConfig config = MakeConfig(type, 1, 1, 1);
      config.options[0].Set("place", place);
      config.autoreset_mode = mode;
      config.layout.final_rows = mode == AutoresetMode::kSameStep;
      Pool pool(OfType(type, config));
      Reset(pool);
      if (place == "state") {
        Step(pool, 0);
        const std::vector<std::string> states = pool.Loans().GetState(Ints{0});
        const std::string_view state = states[0];
        EXPECT_NE(Refusal([&] { pool.Loans().SetState(Ints{0}, {&state, 1}); }), "");
      } else {
        for (bool has_failed = false, is_over = false; !has_failed; is_over = !is_over) {
          const bool needs_reset = is_over && mode == AutoresetMode::kDisabled;
          has_failed = !(needs_reset ? Reset(pool) : Step(pool, 0)).errors.empty();
        }
      }
      EXPECT_EQ(Observations(pool, Reset(pool)), Ints{2}) << place;
    }
  }
}

}  // namespace
}  // namespace envpool
