// Sleeping: resets and steps take as long as the environment's options say.
#include <chrono>
#include <thread>

#include "envpool/family.h"

namespace envpool {
namespace {

class Sleeping final : public Env {
 public:
  explicit Sleeping(const Options& options)
      : reset_time_(options.Number("reset_ms")), step_time_(options.Number("step_ms")) {}

  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kInt32, {1}, {0})},
            .action = {Discrete("action", 2)},
            .info = {}};
  }

  void Reset(Random&, const Options&) override {
    SleepFor(reset_time_);
    steps_ = 0;
  }

  StepResult Step(const Action&, Random&) override {
    SleepFor(step_time_);
    ++steps_;
    return {.reward = 1.0};
  }

  void Observe(const Row& row) const override { row.Observation<std::int32_t>()[0] = steps_; }

 private:
  using Milliseconds = std::chrono::duration<double, std::milli>;

  static void SleepFor(Milliseconds time) {
    if (time.count() > 0.0) std::this_thread::sleep_for(time);
  }

  const Milliseconds reset_time_;
  const Milliseconds step_time_;
  std::int32_t steps_ = 0;
};

[[maybe_unused]] const bool registered = Register({
    .name = "Sleeping",
    .options = {{"reset_ms", 0.0, "how long a reset takes, milliseconds"},
                {"step_ms", 0.0, "how long a step takes, milliseconds"}},
    .reset_options = {},
    .spec = Sleeping::MakeSpec,
    .create = Create<Sleeping>,
});

}  // namespace
}  // namespace envpool
