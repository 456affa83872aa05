// Environments without threads: what requests do to them, and what their rows show.
#include "environments/environments.h"

#include <optional>
#include <string>
#include <vector>

#include "results/batches.h"
#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

// Some environments, and one batch with a row for each.
class Bench {
 public:
  Bench(const EnvType& type, PoolConfig config)
      : config_(OfType(type, std::move(config))),
        spec_(MakePoolSpec(config_, DontInterrupt)),
        layout_(spec_.common, config_.layout, config_.seeds.size()),
        blocks_(std::make_shared<BlockPool>(layout_.bytes, 2)),
        environments(config_, spec_, layout_, DontInterrupt) {}

  // Runs a request of each of these environments.
  Delivery Run(const Ints& ids) {
    std::vector<Request> requests;
    batch_.Open(ids.size(), BlockLease(blocks_));
    for (std::uint32_t i = 0; i < ids.size(); ++i) {
      requests.push_back({static_cast<std::uint32_t>(ids[i]), i, &batch_, Cost::kUnknown});
    }
    steps = environments.Advance(requests);
    environments.Observe(requests);
    episodes = environments.WriteResults(requests);
    Delivery delivery = batch_.Take();
    delivery.CloseGaps(layout_);
    return delivery;
  }

  Delivery Reset(const Ints& ids, std::optional<std::uint64_t> seed = std::nullopt) {
    for (const std::int32_t id : ids) environments.RequestReset(id, seed, {});
    return Run(ids);
  }

  Delivery Step(const Ints& ids, std::int32_t action = 0) {
    environments.StoreActions(ids, Actions(ids.size(), action).View());
    return Run(ids);
  }

  Ints Observed(const Delivery& delivery) const {
    return ColumnOf<std::int32_t>(delivery, layout_.observation[0]);
  }
  const Layout& GetLayout() const { return layout_; }

 private:
  const PoolConfig config_;
  const PoolSpec spec_;
  const Layout layout_;
  const std::shared_ptr<BlockPool> blocks_;
  Batch batch_;

 public:
  Environments environments;
  int steps = 0;
  int episodes = 0;
};

// Episodes of two and of three steps.
PoolConfig TwoLengths(AutoresetMode mode) { return CountingConfig(mode, {2, 3}, 2, 1); }

TEST(Advance, ResetsAfterTheEndInTheNextStep) {
  Bench bench(TestType("Counting"), TwoLengths(AutoresetMode::kNextStep));
  const Ints ids = {0, 1};
  EXPECT_EQ(bench.Observed(bench.Run(ids)), (Ints{0, 0})) << "there was no reset yet: it is one";
  EXPECT_EQ(bench.steps, 0);
  EXPECT_EQ(bench.Observed(bench.Step(ids)), (Ints{1, 1}));
  EXPECT_EQ(bench.steps, 2);
  EXPECT_EQ(bench.episodes, 0);
  EXPECT_EQ(bench.Observed(bench.Step(ids)), (Ints{2, 2}));
  EXPECT_EQ(bench.episodes, 1);
  EXPECT_EQ(bench.environments.RestStatus(0), Status::kIdle);
  EXPECT_EQ(bench.Observed(bench.Step(ids)), (Ints{0, 3}));
  EXPECT_EQ(bench.steps, 1);
  EXPECT_EQ(bench.environments.ElapsedSteps(), (Ints{0, 3}));
}

TEST(Advance, StartsTheNextEpisodeInTheSameStep) {
  Bench bench(TestType("Counting"), TwoLengths(AutoresetMode::kSameStep));
  const Ints ids = {0, 1};
  const Layout& layout = bench.GetLayout();
  bench.Reset(ids);
  bench.Step(ids);
  const Delivery delivery = bench.Step(ids, 7);
  EXPECT_EQ(bench.Observed(delivery), (Ints{0, 2}));
  EXPECT_EQ(ColumnOf<bool>(delivery, layout.terminated), (std::vector<bool>{true, false}));
  EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.finals.observation[0])[0], 2);
  EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.final_elapsed_step)[0], 2);
  EXPECT_EQ(ColumnOf<std::int32_t>(delivery, layout.elapsed_step), (Ints{0, 2}));
  EXPECT_EQ(ColumnOf<float>(delivery, layout.reward), (std::vector<float>{7, 7}));
}

TEST(Advance, LeavesAnEpisodeOverWithoutAutoReset) {
  Bench bench(TestType("Counting"), TwoLengths(AutoresetMode::kDisabled));
  const Ints ids = {0, 1};
  EXPECT_EQ(bench.environments.RestStatus(0), Status::kEpisodeOver) << "none has begun";
  bench.Reset(ids);
  EXPECT_EQ(bench.environments.RestStatus(0), Status::kIdle);
  bench.Step(ids);
  bench.Step(ids);
  EXPECT_EQ(bench.environments.RestStatus(0), Status::kEpisodeOver);
  EXPECT_EQ(bench.environments.RestStatus(1), Status::kIdle);
  EXPECT_FALSE(bench.environments.AwaitsReset(0)) << "its last state can be drawn";
}

// Counting, whose environments step together; those that get action 13 fail. Notes how many turns
// there were, and adds 100 to the reward of each.
std::vector<std::size_t> turns_taken;
const EnvType& TogetherType() {
  static const EnvType type = [] {
    EnvType counting = TestType("Counting");
    counting.step_together = [](std::span<Turn> turns) {
      turns_taken.push_back(turns.size());
      for (Turn& turn : turns) {
        const auto action = turn.action.Value<std::int32_t>();
        if (action == 666) throw std::runtime_error("all are lost");
        turn.result = turn.env.Step(turn.action, turn.random);
        turn.result.reward += 100;
        if (action == 13) turn.failure = std::make_exception_ptr(std::runtime_error("unlucky"));
      }
    };
    return counting;
  }();
  return type;
}

TEST(Advance, StepsTogetherWhatCanBe) {
  const Ints lengths = {2, 3, 3, 3, 3, 3, 3, 3, 3, 3};
  Bench bench(TogetherType(), CountingConfig(AutoresetMode::kNextStep, lengths, 10, 1));
  const auto rewards = [&bench](const Delivery& delivery) {
    return ColumnOf<float>(delivery, bench.GetLayout().reward);
  };
  const Ints all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  turns_taken.clear();
  bench.Reset(all);
  EXPECT_TRUE(turns_taken.empty()) << "these were resets";
  EXPECT_EQ(rewards(bench.Step(all, 7)), std::vector<float>(10, 107.0F));
  EXPECT_EQ(bench.steps, 10);
  EXPECT_EQ(turns_taken, (std::vector<std::size_t>{8, 2}));
  EXPECT_EQ(rewards(bench.Step({3}, 7)), std::vector<float>{7.0F}) << "it is alone";
  bench.Step({0}, 7);
  EXPECT_EQ(turns_taken.size(), 2U);
  EXPECT_EQ(rewards(bench.Step({1, 0, 2}, 7)), (std::vector<float>{107, 0, 107}))
      << "the one in the middle is reset";
  EXPECT_EQ(bench.steps, 2);
  EXPECT_EQ(turns_taken.back(), 2U);
}

TEST(Advance, KeepsWhatFailsAmongThoseThatStepTogether) {
  Bench bench(TogetherType(), CountingConfig(AutoresetMode::kNextStep, {9, 9, 9}, 3, 1));
  const Ints all = {0, 1, 2};
  bench.Reset(all);
  bench.environments.StoreActions(Ints{0, 2}, Actions(2, 1).View());
  bench.environments.StoreActions(Ints{1}, Actions(1, 13).View());
  const Delivery delivery = bench.Run(all);
  ASSERT_EQ(delivery.errors.size(), 1U);
  EXPECT_EQ(delivery.errors[0].env_id, 1);
  EXPECT_EQ(delivery.errors[0].message, "unlucky");
  EXPECT_EQ(bench.Observed(delivery), (Ints{1, 1}));
  bench.Reset(all);
  EXPECT_EQ(bench.Step(all, 666).errors.size(), 3U);
}

TEST(Advance, OnlyShowsAnEnvironmentThatIsObserved) {
  Bench bench(TestType("Counting"), TwoLengths(AutoresetMode::kNextStep));
  bench.Reset({0, 1});
  bench.Step({0, 1}, 5);
  bench.environments.RequestObservation(1);
  const Delivery delivery = bench.Run({1});
  EXPECT_EQ(bench.steps, 0);
  EXPECT_EQ(bench.Observed(delivery), Ints{1});
  EXPECT_EQ(ColumnOf<float>(delivery, bench.GetLayout().reward), std::vector<float>{0});
  EXPECT_EQ(bench.Observed(bench.Step({1})), Ints{2});
}

TEST(Failures, BreakAnEnvironmentUntilItIsReset) {
  const EnvType& type = TestType("Failing");
  PoolConfig config = MakeConfig(type, 2, 2, 1);
  config.options.assign(2, Options(type.options));
  config.options[1].Set("place", "step");
  Bench bench(type, config);
  bench.Reset({0, 1});
  bench.Step({0, 1});
  const Delivery delivery = bench.Step({0, 1});
  ASSERT_EQ(delivery.errors.size(), 1U);
  EXPECT_EQ(delivery.errors[0].row, 1U);
  EXPECT_EQ(delivery.errors[0].message, "failed on purpose in step");
  EXPECT_EQ(bench.environments.RestStatus(0), Status::kIdle);
  EXPECT_EQ(bench.environments.RestStatus(1), Status::kBroken);
  EXPECT_EQ(bench.steps, 2) << "a step that fails is one, too";
  EXPECT_EQ(bench.Observed(bench.Reset({1})), Ints{0});
  EXPECT_EQ(bench.environments.RestStatus(1), Status::kIdle);
}

// A failure that nobody saw is no reason to refuse anything.
TEST(Failures, AreForgottenWithTheRequest) {
  const EnvType& type = TestType("Failing");
  PoolConfig config = MakeConfig(type, 1, 1, 1);
  config.options[0].Set("place", "step");
  Bench bench(type, config);
  bench.Reset({0});
  bench.Step({0});
  bench.Step({0});
  bench.environments.ForgetRequest(0);
  EXPECT_EQ(bench.environments.RestStatus(0), Status::kIdle);
  EXPECT_EQ(bench.Observed(bench.Step({0})), Ints{0}) << "a new episode";
}

TEST(Requests, AreForgotten) {
  const EnvType& type = TestType("Counting");
  Bench bench(type, TwoLengths(AutoresetMode::kNextStep));
  bench.Reset({0, 1});
  bench.Step({0, 1});
  bench.environments.RequestObservation(0);
  bench.environments.ForgetRequest(0);
  EXPECT_EQ(bench.Observed(bench.Step({0})), Ints{2}) << "there is nothing to make up for";
  Options start(type.reset_options);
  start.Set("start", std::int64_t{5});
  const auto given = std::make_shared<const Options>(start);
  bench.environments.RequestReset(1, std::nullopt, {&given, 1});
  bench.environments.ForgetRequest(1);
  EXPECT_TRUE(bench.environments.AwaitsReset(1));
  EXPECT_EQ(bench.Observed(bench.Run({1})), Ints{0}) << "with the defaults";
}

TEST(States, AreTakenOverByAnother) {
  Bench bench(TestType("Counting"), MakeConfig(TestType("Counting"), 2, 2, 1));
  bench.Reset({0, 1});
  bench.Step({0});
  bench.Step({0});
  const std::string saved = bench.environments.Save(0);
  bench.environments.Load(1, bench.environments.Open(1, saved, "it"));
  EXPECT_EQ(bench.environments.Save(1), saved);
  EXPECT_EQ(bench.environments.ElapsedSteps(), (Ints{2, 2}));
  EXPECT_EQ(bench.Observed(bench.Step({1, 0})), (Ints{3, 3}));
  EXPECT_EQ(Refusal([&] { bench.environments.Open(1, saved.substr(1), "it"); }),
            "it is no state of an environment");
}

TEST(States, ThatCannotBeReadBreakTheEnvironment) {
  Bench bench(TestType("Counting"), MakeConfig(TestType("Counting"), 2, 2, 1));
  bench.Reset({0, 1});
  const std::string saved = bench.environments.Save(0);
  const std::string state = bench.environments.Open(0, saved, "it") + "x";
  EXPECT_EQ(Refusal([&] { bench.environments.Load(0, state); }),
            "environment 0 has failed to read its state, reset it first: 1 bytes were left over");
  EXPECT_EQ(bench.environments.RestStatus(0), Status::kBroken);
  bench.environments.Load(0, bench.environments.Open(0, saved, "it"));
  EXPECT_EQ(bench.environments.RestStatus(0), Status::kIdle);
}

TEST(States, AreCopiedToAnEnvironmentWithOtherOptions) {
  const EnvType& type = TestType("Counting");
  Bench bench(type, MakeConfig(type, 2, 2, 1));
  bench.Reset({0, 1});
  bench.Step({0, 1});
  Options shorter(type.options);
  shorter.Set("episode_length", std::int64_t{2});
  Environments::Made made = bench.environments.Make(1, shorter);
  bench.environments.CopyState(1, *made.env);
  EXPECT_EQ(bench.environments.OptionsOf(1).Integer("episode_length"), 10);
  bench.environments.Exchange(1, made);
  EXPECT_EQ(bench.environments.OptionsOf(1).Integer("episode_length"), 2);
  EXPECT_EQ(bench.environments.OptionsOf(0).Integer("episode_length"), 10);
  EXPECT_EQ(made.options->Integer("episode_length"), 10) << "the old one";
  EXPECT_EQ(ColumnOf<bool>(bench.Step({0, 1}), bench.GetLayout().terminated),
            (std::vector<bool>{false, true}));
}

// An episode that begins with this reset option.
Choice StartingAt(std::int64_t start) {
  Options options(TestType("Counting").reset_options);
  options.Set("start", start);
  return {.options = std::make_shared<const Options>(options)};
}

TEST(Choices, HoldForAnyResetThatIsGivenNothing) {
  Bench bench(TestType("Counting"), TwoLengths(AutoresetMode::kNextStep));
  Choices& choices = bench.environments.ChoicesOf(0);
  choices.SetAll({StartingAt(70), StartingAt(71)});
  bench.environments.ChoicesOf(1).SetNext(StartingAt(80));
  EXPECT_EQ(bench.Observed(bench.Reset({0, 1}, 5)), (Ints{0, 0})) << "a seed is something";
  EXPECT_EQ(choices.Begun()->seed, 5U);
  EXPECT_EQ(bench.Observed(bench.Reset({0, 1})), (Ints{71, 0}));
  EXPECT_EQ(choices.NumBegun(), 2);
  EXPECT_EQ(bench.environments.ChoicesOf(1).Begun(), nullptr);
  EXPECT_EQ(bench.Observed(bench.Reset({0})), (Ints{70}));
  choices.SetNext({});
  EXPECT_EQ(bench.Observed(bench.Reset({0})), (Ints{0})) << "as if nothing had been chosen";
  EXPECT_TRUE(choices.Begun()->IsEmpty());
  EXPECT_EQ(choices.LastSeed(), 5U);
}

TEST(Choices, HaveAnEpisodeBeginInAState) {
  Bench bench(TestType("Counting"), TwoLengths(AutoresetMode::kSameStep));
  bench.Reset({0, 1});
  Choice choice{.state = bench.environments.Save(1)};
  EXPECT_THROW(bench.environments.OpenState(0, choice), std::invalid_argument)
      << "it has other options";
  bench.Step({0});
  choice.state = bench.environments.Save(0);
  bench.environments.OpenState(0, choice);
  bench.environments.ChoicesOf(0).SetNext(std::move(choice));
  EXPECT_EQ(bench.Observed(bench.Step({0})), (Ints{1})) << "where the state was saved";
  EXPECT_EQ(bench.environments.ElapsedSteps()[0], 0);
  EXPECT_TRUE(bench.environments.ChoicesOf(0).Begun()->state);
}

// A step that fails, or what is observed after it, ends the episode of an environment that may
// survive that, and a reset begins the next one.
TEST(Survival, EndsTheEpisode) {
  for (const char* place : {"step", "observe"}) {
    const EnvType& type = TestType("Failing");
    PoolConfig config = MakeConfig(type, 2, 2, 1);
    config.options[0].Set("place", place);
    Bench bench(type, config);
    bench.environments.Failures().most = 3;
    const Layout& layout = bench.GetLayout();
    bench.Reset({0, 1});
    bench.Step({0, 1});
    Delivery ended = bench.Step({1, 0});
    EXPECT_TRUE(ended.errors.empty());
    ASSERT_EQ(ended.survived.size(), 2U);
    EXPECT_EQ(ended.survived[0].env_id, 1);
    EXPECT_EQ(ended.survived[0].message, std::string("failed on purpose in ") + place);
    EXPECT_EQ(bench.Observed(ended), (Ints{0, 0}));
    EXPECT_EQ(ColumnOf<bool>(ended, layout.truncated), (std::vector<bool>{true, true}));
    EXPECT_EQ(ColumnOf<float>(ended, layout.reward), (std::vector<float>{0.0F, 0.0F}));
    EXPECT_TRUE(bench.environments.LastEnd(0).failed);
    EXPECT_EQ(bench.environments.LastEnd(0).episode_return, 1.0);
    EXPECT_EQ(bench.environments.RestStatus(0), Status::kIdle);
    EXPECT_EQ(bench.Observed(bench.Step({0, 1})), (Ints{0, 0}));  // the auto-reset
    bench.Step({0, 1});
    ended = bench.Step({0, 1});  // of which the first is the third that may be
    ASSERT_EQ(ended.errors.size(), 1U);
    EXPECT_EQ(ended.errors[0].env_id, 1);
    EXPECT_EQ(ended.survived.size(), 1U);
    EXPECT_EQ(bench.environments.Failures().count.load(), 3);
    EXPECT_EQ(bench.environments.RestStatus(1), Status::kBroken);
  }
}

TEST(Survival, IsNotForResets) {
  const EnvType& type = TestType("Failing");
  PoolConfig config = MakeConfig(type, 1, 1, 1);
  config.options[0].Set("place", "reset");
  Bench bench(type, config);
  bench.environments.Failures().most = 3;
  const Delivery delivery = bench.Reset({0});
  EXPECT_EQ(delivery.errors.size(), 1U);
  EXPECT_TRUE(delivery.survived.empty());
  EXPECT_EQ(bench.environments.Failures().count.load(), 0);
}

// A survived row moves up with the others where a failed one left room.
TEST(Survival, IsToldOfTheRightRow) {
  const EnvType& type = TestType("Failing");
  PoolConfig config = MakeConfig(type, 3, 3, 1);
  config.options.assign(3, Options(type.options));
  config.options[0].Set("place", "observe");
  config.options[1].Set("place", "step");
  config.options[2].Set("place", "step");
  Bench bench(type, config);
  bench.environments.Failures().most = 2;
  bench.Reset({0, 1, 2});
  bench.Step({0, 1, 2});
  const Delivery delivery = bench.Step({0, 1, 2});  // all steps come before what is observed
  ASSERT_EQ(delivery.errors.size(), 1U);
  EXPECT_EQ(delivery.errors[0].env_id, 0);
  ASSERT_EQ(delivery.survived.size(), 2U);
  for (const EnvError& survived : delivery.survived) {
    EXPECT_EQ(survived.row + 1, static_cast<std::size_t>(survived.env_id));
  }
}

}  // namespace
}  // namespace envpool
