// Sleeping: each step takes as long as its environment's option says.
#include <chrono>
#include <thread>

#include "envpool/family.h"

namespace envpool {
namespace {

class Sleeping final : public Env {
 public:
  explicit Sleeping(const Options& options) : time_(options.Number("step_ms")) {}

  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kInt32, {1}, {0})},
            .action = {Discrete("action", 2)},
            .info = {}};
  }

  void Reset(Random&, const Options&) override { steps_ = 0; }

  StepResult Step(const Action&, Random&) override {
    if (time_.count() > 0.0) std::this_thread::sleep_for(time_);
    ++steps_;
    return {.reward = 1.0};
  }

  void Observe(const Row& row) const override { row.Observation<std::int32_t>()[0] = steps_; }

  void Serialize(Archive& archive) override { archive(steps_); }

 private:
  const std::chrono::duration<double, std::milli> time_;
  std::int32_t steps_ = 0;
};

[[maybe_unused]] const bool registered = Register({
    .name = "Sleeping",
    .options = {{"step_ms", 0.0, "how long a step takes, milliseconds"}},
    .reset_options = {},
    .spec = Sleeping::MakeSpec,
    .create = Create<Sleeping>,
});

}  // namespace
}  // namespace envpool
