// Pools whose environments are of several kinds.
#include <memory>
#include <string>
#include <vector>

#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

// Observes the option of its last reset.
class Starting final : public Env {
 public:
  explicit Starting(const Options&) {}
  static const EnvType& Type() {
    static const EnvType type{.name = "Starting",
                              .options = {},
                              .reset_options = {{"start", std::int64_t{0}, ""}},
                              .spec = MakeSpec,
                              .create = Create<Starting>};
    return type;
  }
  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kInt32, {})},
            .action = {Discrete("action", 2)},
            .info = {}};
  }
  void Reset(Random&, const Options& options) override {
    state_ = static_cast<std::int32_t>(options.Get<std::int64_t>("start"));
  }
  StepResult Step(const Action&, Random&) override { return {}; }
  void Observe(const Row& row) const override { row.Observation<std::int32_t>()[0] = state_; }

 private:
  std::int32_t state_ = 0;
};

// Four environments, of the kinds 0, 1, 1, 0; with time limits of 2 and 3 steps.
PoolConfig MixedConfig() {
  const EnvType& type = Starting::Type();
  PoolConfig config = MakeConfig(type, 4, 4, 2);
  config.kinds = {{"A", &type, 2}, {"B", &type, 3}};
  config.kind_of = {0, 1, 1, 0};
  config.options.assign(4, Options(type.options));
  return config;
}

TEST(Kinds, GetTheirOwnResetOptions) {
  Pool pool(MixedConfig());
  std::vector<std::shared_ptr<const Options>> given;
  for (const std::int64_t start : {5, 7}) {
    auto options = std::make_shared<Options>();
    options->Set("start", start);
    given.push_back(std::move(options));
  }
  const ResetRequest request{.env_ids = pool.AllIds(), .options = given};
  EXPECT_EQ(Observations(pool, pool.Reset(request, NeverInterrupted)), (Ints{5, 7, 7, 5}));
}

}  // namespace
}  // namespace envpool
