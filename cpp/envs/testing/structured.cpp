// Structured: observations and actions of several arrays; each action is echoed by the observation.
#include <algorithm>
#include <array>
#include <vector>

#include "envpool/family.h"

namespace envpool {
namespace {

class Structured final : public Env {
 public:
  explicit Structured(const Options&) {}

  static Spec MakeSpec(const Options& options) {
    const Structure structure = options.Flag("as_tuple") ? Structure::kTuple : Structure::kDict;
    const std::vector<Field> fields = {Box("body.force", DType::kFloat64, {2, 2}, {-1.0}, {1.0}),
                                       Discrete("body.gear", 5, -1), MultiBinary("lamps", {3}),
                                       MultiDiscrete("dials", {2, 9}, DType::kInt64)};
    return {.observation_structure = structure,
            .observation = fields,
            .action_structure = structure,
            .action = fields};
  }

  void Reset(Random& random, const Options&) override {
    for (double& force : force_) force = random.Uniform(-1.0, 1.0);
    gear_ = 0;
    lamps_ = {};
    dials_ = {};
  }

  StepResult Step(const Action& action, Random&) override {
    std::ranges::copy(action.Values<double>(0), force_.begin());
    gear_ = action.Value<std::int32_t>(1);
    std::ranges::copy(action.Values<bool>(2), lamps_.begin());
    std::ranges::copy(action.Values<std::int64_t>(3), dials_.begin());
    return {.reward = force_[0]};
  }

  void Observe(const Row& row) const override {
    std::ranges::copy(force_, row.Observation<double>(0).begin());
    row.Observation<std::int32_t>(1)[0] = gear_;
    std::ranges::copy(lamps_, row.Observation<bool>(2).begin());
    std::ranges::copy(dials_, row.Observation<std::int64_t>(3).begin());
  }

  void Serialize(Archive& archive) override {
    archive(force_, lamps_);
    archive.Any(gear_, dials_);
  }

 private:
  std::array<double, 4> force_{};
  std::int32_t gear_ = 0;
  std::array<bool, 3> lamps_{};
  std::array<std::int64_t, 2> dials_{};
};

[[maybe_unused]] const bool registered = Register({
    .name = "Structured",
    .options = {{"as_tuple", false, "tuples instead of dicts"}},
    .spec = Structured::MakeSpec,
    .create = Create<Structured>,
});

}  // namespace
}  // namespace envpool
