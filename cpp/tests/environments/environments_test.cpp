// Environments without threads: which of them step together, and requests that are forgotten.
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
    environments.WriteResults(requests);
    Delivery delivery = batch_.Take();
    delivery.CloseGaps(layout_);
    return delivery;
  }

  Delivery Reset(const Ints& ids) {
    for (const std::int32_t id : ids) environments.RequestReset(id, std::nullopt, {});
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
};

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
  Bench bench(type, CountingConfig(AutoresetMode::kNextStep, {2, 3}, 2, 1));
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

}  // namespace
}  // namespace envpool
