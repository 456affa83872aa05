#include "environments/snapshot.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

const SnapshotKey kKey = {"CartPole", 1, {"max_episode_steps=500", "gravity=9.8"}};

// Why a call threw an Error; empty if it did not.
template <class Error>
std::string Refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string WhyNotOpened(std::string_view snapshot) {
  return Refusal<std::invalid_argument>([&] { OpenSnapshot(kKey, snapshot, "states[0]"); });
}

TEST(Snapshot, SaysWhatCameAndWhatWasExpected) {
  const auto refusal = [](auto change) {
    SnapshotKey other = kKey;
    change(other);
    return WhyNotOpened(SealSnapshot(other, "some state"));
  };
  EXPECT_EQ(refusal([](SnapshotKey& key) { key.type = "Pendulum"; }),
            "states[0] was saved from Pendulum, expected CartPole");
  EXPECT_EQ(refusal([](SnapshotKey& key) { key.state_version = 7; }),
            "states[0] was saved by another version of CartPole (7, expected 1)");
  EXPECT_EQ(refusal([](SnapshotKey& key) { key.settings[1] = "gravity=1.62"; }),
            "states[0] was saved with gravity=1.62, expected gravity=9.8");
  EXPECT_EQ(refusal([](SnapshotKey& key) { key.settings.pop_back(); }),
            "states[0] was saved with no such option, expected gravity=9.8");
  EXPECT_EQ(refusal([](SnapshotKey& key) { key.settings.push_back("wind=0"); }),
            "states[0] was saved with wind=0, expected no such option");
  EXPECT_EQ(WhyNotOpened("EVPS"), "states[0] is no state of an environment: it is too short");
  EXPECT_EQ(WhyNotOpened(std::string(100, ' ')), "states[0] is no state of an environment");
  std::string later = SealSnapshot(kKey, "some state");
  later[4] = 3;
  EXPECT_EQ(WhyNotOpened(later), "states[0] has the format 3, this version reads 2");
}

TEST(Snapshot, DescribesEverySetting) {
  Options options;
  options.Set("nothing", {});
  options.Set("flag", true);
  options.Set("whole", std::int64_t{-3});
  options.Set("number", 0.1);
  options.Set("text", std::string("a b"));
  options.Set("wholes", std::vector<std::int64_t>{1, 2});
  options.Set("numbers", std::vector<double>{0.5});
  options.Set("texts", std::vector<std::string>{});
  EXPECT_EQ(DescribeSettings(options, 200),
            (std::vector<std::string>{"max_episode_steps=200", "nothing=None", "flag=True",
                                      "whole=-3", "number=0.1", "text=a b", "wholes=[1, 2]",
                                      "numbers=[0.5]", "texts=[]"}));
  Options almost;
  almost.Set("number", std::nextafter(0.1, 1.0));
  EXPECT_EQ(DescribeSettings(almost, 1).back(), "number=0.10000000000000002");
}

// Counts its steps, and serializes them as its option says.
class Careless final : public Env {
 public:
  explicit Careless(const Options& options) : reads_(options.Text("reads")) {}

  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kInt32, {})},
            .action = {Discrete("action", 2)},
            .info = {}};
  }
  void Reset(Random&, const Options&) override { step_ = 0; }
  StepResult Step(const Action&, Random&) override {
    ++step_;
    return {};
  }
  void Observe(const Row& row) const override { row.Observation<std::int32_t>()[0] = step_; }
  void Serialize(Archive& archive) override {
    archive.Any(step_);
    if (archive.IsReader() && reads_ == "throws") throw std::runtime_error("on purpose");
    if (archive.IsReader() ? reads_ == "more" : reads_ == "less") archive.Any(unused_);
  }

 private:
  const std::string reads_;
  std::int32_t step_ = 0;
  std::int32_t unused_ = 0;
};

TEST(Snapshot, AnEnvironmentThatReadsOtherThanItWroteIsBroken) {
  const EnvType type{.name = "Careless",
                     .options = {{"reads", "right", "'less', 'more', 'right' or 'throws'"}},
                     .reset_options = {},
                     .spec = Careless::MakeSpec,
                     .create = Create<Careless>};
  const std::pair<std::string, std::string> cases[] = {{"less", "4 bytes were left over"},
                                                       {"more", "the state's bytes end too early"},
                                                       {"throws", "on purpose"}};
  for (const auto& [reads, why] : cases) {
    PoolConfig config = MakeConfig(type, 3, 3, 1);
    config.options.assign(3, Options(type.options));
    config.options[1].Set("reads", reads);
    Pool pool(OfType(type, config));
    Reset(pool);
    const std::vector<std::string> states = pool.Loans().GetState(pool.AllIds());
    Step(pool, 0);
    const auto set = [&] {
      pool.Loans().SetState(pool.AllIds(),
                            std::vector<std::string_view>(states.begin(), states.end()));
    };
    EXPECT_EQ(Refusal<std::runtime_error>(set),
              "environment 1 has failed to read its state, reset it first: " + why);
    EXPECT_EQ(Refusal<std::runtime_error>([&] { Step(pool, 0); }),
              "environment 1 has failed: reset it first");
    EXPECT_EQ(Refusal<std::runtime_error>([&] { pool.Loans().GetState(Ints{1}); }),
              "environment 1 has failed: reset it first");
    pool.Reset({.env_ids = Ints{1}}, NeverInterrupted);
    // The state of environment 0 was set before the failure, that of environment 2 was not.
    EXPECT_EQ(ColumnOf<std::int32_t>(Step(pool, 0), pool.GetLayout().elapsed_step),
              (Ints{1, 1, 2}));
  }
}

}  // namespace
}  // namespace envpool
