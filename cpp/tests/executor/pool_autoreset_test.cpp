// What follows the end of an episode, in each mode.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

constexpr AutoresetMode kModes[] = {AutoresetMode::kNextStep, AutoresetMode::kSameStep,
                                    AutoresetMode::kDisabled};
constexpr std::int32_t kAction = 7;

struct Case {
  AutoresetMode mode;
  int batch_size;
  int num_threads;
};

class Autoreset : public testing::TestWithParam<Case> {};

// Where the n-th request of an environment with episodes of this length leads; the first is number
// 0. Every episode begins with a row of its own, but in the same step it has none.
struct Expected {
  Expected(AutoresetMode mode, int number, int length) {
    const bool is_same_step = mode == AutoresetMode::kSameStep;
    const int period = is_same_step ? length : length + 1;
    step = number % period;
    has_ended = number > 0 && step == (is_same_step ? 0 : length);
    is_step = has_ended || step > 0;
    episode = 1 + number / period;
  }

  int step;
  bool has_ended;
  bool is_step;
  int episode;  // that the observation belongs to
};

TEST_P(Autoreset, EveryRowIsAsTheModeSays) {
  const auto [mode, batch_size, num_threads] = GetParam();
  const Ints lengths = {1, 2, 3, 5, 1, 4};
  PoolConfig config = CountingConfig(mode, lengths, batch_size, num_threads);
  config.layout.episode_statistics = true;
  Pool pool(TestType("Counting"), config);
  const Layout& layout = pool.GetLayout();
  Ints numbers(lengths.size(), 0);
  pool.SendReset({.env_ids = pool.AllIds()});
  // Until every environment has had its turn: a thread that holds one may sleep for long.
  for (int batch = 0; batch < 200 || *std::ranges::min_element(numbers) <= 10; ++batch) {
    const Delivery delivery = Receive(pool);
    const Ints ids = EnvIds(pool, delivery);
    const Ints observed = Observations(pool, delivery);
    const auto elapsed = ColumnOf<std::int32_t>(delivery, layout.elapsed_step);
    const auto rewards = ColumnOf<float>(delivery, layout.reward);
    const auto terminated = ColumnOf<bool>(delivery, layout.terminated);
    const auto episodes = ColumnOf<std::int64_t>(delivery, layout.info[0]);
    const auto lengths_told = ColumnOf<std::int64_t>(delivery, layout.episode.length);
    const auto returns = ColumnOf<double>(delivery, layout.episode.returned);
    Ints to_step;
    Ints to_reset;
    for (std::size_t row = 0; row < ids.size(); ++row) {
      const auto env = static_cast<std::size_t>(ids[row]);
      const int length = lengths[env];
      const Expected expected(mode, numbers[env]++, length);
      EXPECT_EQ(observed[row], expected.step);
      EXPECT_EQ(elapsed[row], expected.step);
      EXPECT_EQ(rewards[row], expected.is_step ? kAction : 0);
      EXPECT_EQ(terminated[row], expected.has_ended);
      EXPECT_EQ(episodes[row], expected.episode);
      EXPECT_EQ(lengths_told[row], expected.has_ended ? length : 0);
      EXPECT_EQ(returns[row], expected.has_ended ? kAction * length : 0);
      if (expected.has_ended && mode == AutoresetMode::kSameStep) {
        const auto last = [&delivery, row]<class T>(const Column& column, T) {
          return ColumnOf<T>(delivery, column)[row];
        };
        EXPECT_EQ(last(layout.finals.observation[0], std::int32_t{}), length);
        EXPECT_EQ(last(layout.finals.info[0], std::int64_t{}), expected.episode - 1);
        EXPECT_EQ(last(layout.finals.elapsed_step, std::int32_t{}), length);
      }
      const bool needs_reset = expected.has_ended && mode == AutoresetMode::kDisabled;
      (needs_reset ? to_reset : to_step).push_back(ids[row]);
    }
    // An asynchronous pool goes on with what comes first, so those wait for nobody.
    if (!to_reset.empty()) pool.SendReset({.env_ids = to_reset});
    if (!to_step.empty()) Send(pool, to_step, kAction);
  }
}

// A life of Lives is an episode like those of Counting, and some of them make a game.
TEST_P(Autoreset, AGameOfSeveralLivesIsOneToTheStatistics) {
  const auto [mode, batch_size, num_threads] = GetParam();
  const Ints lengths = {1, 2, 3, 5, 1, 4};
  const Ints lives = {1, 2, 3, 1, 4, 2};
  const EnvType& type = TestType("Lives");
  PoolConfig config = CountingConfig(mode, lengths, batch_size, num_threads);
  config.options.assign(lengths.size(), Options(type.options));
  for (std::size_t env = 0; env < lengths.size(); ++env) {
    config.options[env].Set("life_length", std::int64_t{lengths[env]});
    config.options[env].Set("lives", std::int64_t{lives[env]});
  }
  config.layout.episode_statistics = true;
  config.layout.time_step = true;
  Pool pool(type, config);
  const Layout& layout = pool.GetLayout();
  Ints numbers(lengths.size(), 0);
  pool.SendReset({.env_ids = pool.AllIds()});
  for (int batch = 0; batch < 200 || *std::ranges::min_element(numbers) <= 20; ++batch) {
    const Delivery delivery = Receive(pool);
    const Ints ids = EnvIds(pool, delivery);
    const auto life_numbers = ColumnOf<std::int64_t>(delivery, layout.info[1]);
    const auto games = ColumnOf<std::int64_t>(delivery, layout.info[2]);
    const auto elapsed = ColumnOf<std::int32_t>(delivery, layout.elapsed_step);
    const auto terminated = ColumnOf<bool>(delivery, layout.terminated);
    const auto discounts = ColumnOf<float>(delivery, layout.discount);
    const auto done = ColumnOf<bool>(delivery, layout.episode.done);
    const auto lengths_told = ColumnOf<std::int64_t>(delivery, layout.episode.length);
    const auto returns = ColumnOf<double>(delivery, layout.episode.returned);
    Ints to_step;
    Ints to_reset;
    for (std::size_t row = 0; row < ids.size(); ++row) {
      const auto env = static_cast<std::size_t>(ids[row]);
      const int length = lengths[env];
      const Expected expected(mode, numbers[env]++, length);
      const int lives_before = (expected.episode - 1) % lives[env];
      // In the same step, the row shows what follows the episode that has ended.
      const bool follows = expected.has_ended && mode == AutoresetMode::kSameStep;
      const int ended_life = follows ? (expected.episode - 2) % lives[env] : lives_before;
      const bool is_over = expected.has_ended && ended_life + 1 == lives[env];
      EXPECT_EQ(games[row], 1 + (expected.episode - 1) / lives[env]);
      EXPECT_EQ(life_numbers[row], 1 + lives_before);
      EXPECT_EQ(elapsed[row], lives_before * length + expected.step);
      EXPECT_EQ(terminated[row], expected.has_ended);
      EXPECT_EQ(discounts[row], expected.has_ended ? 0.0F : expected.step == 1 ? 0.5F : 1.0F);
      EXPECT_EQ(done[row], is_over);
      EXPECT_EQ(lengths_told[row], is_over ? length * lives[env] : 0);
      EXPECT_EQ(returns[row], is_over ? kAction * length * lives[env] : 0);
      if (follows) {
        const auto last = ColumnOf<std::int32_t>(delivery, layout.finals.elapsed_step)[row];
        EXPECT_EQ(last, (ended_life + 1) * length);
      }
      const bool needs_reset = expected.has_ended && mode == AutoresetMode::kDisabled;
      (needs_reset ? to_reset : to_step).push_back(ids[row]);
    }
    if (!to_reset.empty()) pool.SendReset({.env_ids = to_reset});
    if (!to_step.empty()) Send(pool, to_step, kAction);
  }
}

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  for (const AutoresetMode mode : kModes) {
    for (const int batch_size : {6, 2}) {
      for (const int num_threads : {1, 3}) cases.push_back({mode, batch_size, num_threads});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Shapes, Autoreset, testing::ValuesIn(AllCases()));

// A failure takes its row out of the batch, and the rows behind it move up with all their columns.
TEST(SameStep, FinalRowsStayWithTheirEnvironmentsWhenOthersFail) {
  const EnvType& type = TestType("Failing");
  for (const std::string place : {"step", "observe"}) {
    PoolConfig config = MakeConfig(type, 4, 4, 2);
    config.options.assign(4, Options(type.options));
    config.options[0].Set("place", place);
    config.options[2].Set("place", place);
    config.max_episode_steps = 2;
    config.autoreset_mode = AutoresetMode::kSameStep;
    config.layout.final_rows = true;
    Pool pool(type, config);
    const Layout& layout = pool.GetLayout();
    Reset(pool);
    pool.Reset({.env_ids = Ints{3}}, NeverInterrupted);  // so that not all rows are the same
    Step(pool, 0);
    const Delivery delivery = Step(pool, 0);
    EXPECT_EQ(delivery.errors.size(), 2U);
    EXPECT_EQ(EnvIds(pool, delivery), (Ints{1, 3}));
    EXPECT_EQ(Observations(pool, delivery), (Ints{0, 0}));
    EXPECT_EQ(ColumnOf<bool>(delivery, layout.truncated), std::vector<bool>(2, true));
    EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.finals.observation[0]), (Ints{2, 2}));
    EXPECT_EQ(ColumnOf<std::int64_t>(delivery, layout.finals.info[0]),
              (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.finals.elapsed_step), (Ints{2, 2}));
  }
}

TEST(SameStep, NeedsFinalRowsAndOnePlayer) {
  PoolConfig config = CountingConfig(AutoresetMode::kSameStep, {3, 3}, 2, 1);
  config.layout.final_rows = false;
  EXPECT_EQ(Refusal([&] { Pool(TestType("Counting"), config); }),
            "final rows: expected exactly with auto-reset in the same step");
  config.layout.final_rows = true;
  config.autoreset_mode = AutoresetMode::kNextStep;
  EXPECT_EQ(Refusal([&] { Pool(TestType("Counting"), config); }),
            "final rows: expected exactly with auto-reset in the same step");
  const EnvType& players = TestType("Players");
  config = MakeConfig(players, 2, 2, 1);
  config.autoreset_mode = AutoresetMode::kSameStep;
  config.layout.final_rows = true;
  EXPECT_EQ(Refusal([&] { Pool(players, config); }),
            "auto-reset in the same step is only for environments of one player");
}

constexpr const char* kNoEpisode =
    " has no episode to step: without auto-reset it must be reset after the end of an episode, and "
    "before the first one";

TEST(Disabled, RefusesToStepWhatHasNoEpisodeAndChangesNothing) {
  for (const int batch_size : {3, 1}) {
    Pool pool(TestType("Counting"),
              CountingConfig(AutoresetMode::kDisabled, {1, 3, 3}, batch_size, 2));
    const auto receive_all = [&] {
      for (int batch = 0; batch < 3 / batch_size; ++batch) Receive(pool);
    };
    EXPECT_EQ(Refusal([&] { Send(pool, {2, 1}, 0); }), "environment 2" + std::string(kNoEpisode));
    pool.SendReset({.env_ids = pool.AllIds()});
    receive_all();
    Send(pool, {0, 1, 2}, 0);  // environment 0 has finished
    receive_all();
    const std::vector<std::string> before = pool.Loans().GetState(pool.AllIds());
    EXPECT_EQ(Refusal([&] { Send(pool, {1, 2, 0}, 0); }),
              "environment 0" + std::string(kNoEpisode));
    EXPECT_EQ(Refusal([&] { Step(pool, 0); }), "environment 0" + std::string(kNoEpisode));
    EXPECT_EQ(pool.Loans().GetState(pool.AllIds()), before);
    EXPECT_NE(Refusal([&] { Receive(pool); }), "") << "nothing is in flight";
    pool.SendReset({.env_ids = Ints{0}});
    Send(pool, {1, 2}, 0);
    std::vector<std::int32_t> steps(3, -1);
    for (int rows = 0; rows < 3;) {
      const Delivery delivery = Receive(pool);
      const Ints ids = EnvIds(pool, delivery);
      for (std::size_t row = 0; row < ids.size(); ++row, ++rows) {
        steps[static_cast<std::size_t>(ids[row])] = Observations(pool, delivery)[row];
      }
    }
    EXPECT_EQ(steps, (Ints{0, 2, 2}));
  }
}

// A partial reset that shows the other environments as they are, in the middle and at the end of
// their episodes.
TEST(ObserveOthers, ChangesNothingButWhatIsReset) {
  for (const AutoresetMode mode : kModes) {
    Pool pool(TestType("Counting"), CountingConfig(mode, {9, 9, 2, 9}, 4, 2));
    const Layout& layout = pool.GetLayout();
    Reset(pool);
    Step(pool, kAction);
    Step(pool, kAction);
    std::vector<std::string> before = pool.Loans().GetState(pool.AllIds());
    const std::int64_t steps = pool.Stats(false).Steps();
    const Delivery delivery =
        pool.Reset({.env_ids = Ints{3, 1}, .observe_others = true}, NeverInterrupted);
    EXPECT_EQ(EnvIds(pool, delivery), (Ints{0, 1, 2, 3})) << "not in the order of the request";
    const int other = mode == AutoresetMode::kSameStep ? 0 : 2;
    EXPECT_EQ(Observations(pool, delivery), (Ints{2, 0, other, 0}));
    EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.elapsed_step), (Ints{2, 0, other, 0}));
    EXPECT_EQ(ColumnOf<float>(delivery, layout.reward), std::vector<float>(4, 0));
    EXPECT_EQ(ColumnOf<bool>(delivery, layout.terminated), std::vector<bool>(4, false));
    EXPECT_EQ(pool.Loans().GetState(Ints{0, 2}), (std::vector<std::string>{before[0], before[2]}));
    EXPECT_EQ(pool.Stats(false).Steps(), steps);
    if (mode == AutoresetMode::kDisabled) {
      EXPECT_EQ(Refusal([&] { Step(pool, 0); }), "environment 2" + std::string(kNoEpisode));
      pool.Reset({.env_ids = Ints{2}}, NeverInterrupted);
    }
    const int next = mode == AutoresetMode::kNextStep ? 0 : 1;
    EXPECT_EQ(Observations(pool, Step(pool, 0)), (Ints{3, 1, next, 1}));
  }
}

TEST(ObserveOthers, IsRefusedWhileOneOfThemIsRunningOrBroken) {
  const EnvType& type = TestType("Failing");
  PoolConfig config = MakeConfig(type, 3, 3, 1);
  config.options.assign(3, Options(type.options));
  config.options[2].Set("place", "step");
  Pool pool(type, config);
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

TEST(Continue, AResetWithinAnEpisodeBeginsANewGame) {
  const EnvType type = Frail::Type();
  for (const AutoresetMode mode : kModes) {
    PoolConfig config = MakeConfig(type, 1, 1, 1);
    config.autoreset_mode = mode;
    config.layout.final_rows = mode == AutoresetMode::kSameStep;
    Pool pool(type, config);
    Reset(pool);
    Step(pool, 0);
    // In the same step, the next episode has begun already.
    int game = mode == AutoresetMode::kSameStep ? 2 : 1;
    EXPECT_EQ(Observations(pool, Reset(pool)), Ints{game});
    EXPECT_EQ(Observations(pool, Reset(pool)), Ints{++game});
    Step(pool, 0);
    const std::optional<std::uint64_t> seed = 5;
    const ResetRequest seeded{.env_ids = pool.AllIds(), .seeds = {&seed, 1}};
    EXPECT_EQ(Observations(pool, pool.Reset(seeded, NeverInterrupted)), Ints{++game});
  }
}

TEST(Continue, WhatHasFailedBeginsANewGame) {
  const EnvType type = Frail::Type();
  for (const std::string place : {"continue", "observe", "state", "step"}) {
    for (const AutoresetMode mode : kModes) {
      PoolConfig config = MakeConfig(type, 1, 1, 1);
      config.options[0].Set("place", place);
      config.autoreset_mode = mode;
      config.layout.final_rows = mode == AutoresetMode::kSameStep;
      Pool pool(type, config);
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

TEST(Seeds, EnvironmentsWithoutOneGoOnWithTheirGenerators) {
  const EnvType& type = FindType(CLASSIC_CONTROL_LIBRARY, "CartPole");
  const auto make = [&type] { return std::make_unique<Pool>(type, MakeConfig(type, 3, 3, 2)); };
  const auto observe = [](Pool& pool, const ResetRequest& request) {
    const Delivery delivery = pool.Reset(request, NeverInterrupted);
    return ColumnOf<float>(delivery, pool.GetLayout().observation[0]);
  };
  const auto row = [](const std::vector<float>& all, std::ptrdiff_t env) {
    return std::vector<float>(all.begin() + 4 * env, all.begin() + 4 * (env + 1));
  };
  const auto pool = make();
  const auto undisturbed = make();
  Reset(*pool);
  Reset(*undisturbed);
  const std::vector<std::optional<std::uint64_t>> seeds = {2, std::nullopt, 0};
  const auto ours = observe(*pool, {.env_ids = pool->AllIds(), .seeds = seeds});
  const auto first = observe(*make(), {.env_ids = pool->AllIds()});  // of the seeds 0, 1 and 2
  EXPECT_EQ(row(ours, 0), row(first, 2));
  EXPECT_EQ(row(ours, 1), row(observe(*undisturbed, {.env_ids = pool->AllIds()}), 1));
  EXPECT_EQ(row(ours, 2), row(first, 0));
  EXPECT_EQ(Refusal([&] { pool->SendReset({.env_ids = Ints{0, 1}, .seeds = seeds}); }),
            "seed: expected 2 numbers, got 3");
}

}  // namespace
}  // namespace envpool
