// Sleeping: all that it does takes as long as its environment's option says.
#include <chrono>
#include <thread>

#include "envpool/family.h"

namespace envpool {
namespace {

class Sleeping final : public Env {
 public:
  explicit Sleeping(const Options& options)
      : step_time_(options.Number("step_ms")),
        reset_time_(options.Number("reset_ms")),
        state_time_(options.Number("state_ms")) {
    Sleep(Time(options.Number("create_ms")));
  }

  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kInt32, {1}, {0})},
            .action = {Discrete("action", 2)}};
  }

  void Reset(Random&, const Options&) override {
    Sleep(reset_time_);
    steps_ = 0;
  }

  StepResult Step(const Action&, Random&) override {
    Sleep(step_time_);
    ++steps_;
    return {.reward = 1.0};
  }

  void Observe(const Row& row) const override { row.Observation<std::int32_t>()[0] = steps_; }

  void Serialize(Archive& archive) override {
    Sleep(state_time_);
    archive.Count(steps_);
  }

 private:
  using Time = std::chrono::duration<double, std::milli>;

  static void Sleep(Time time) {
    if (time.count() > 0.0) std::this_thread::sleep_for(time);
  }

  const Time step_time_;
  const Time reset_time_;
  const Time state_time_;
  std::int32_t steps_ = 0;
};

[[maybe_unused]] const bool registered = Register({
    .name = "Sleeping",
    .options = {{"step_ms", 0.0, "how long a step takes, milliseconds"},
                {"reset_ms", 0.0, "how long a reset takes, milliseconds"},
                {"state_ms", 0.0, "how long reading or writing a state takes, milliseconds"},
                {"create_ms", 0.0, "how long the constructor takes, milliseconds"}},
    .spec = Sleeping::MakeSpec,
    .create = Create<Sleeping>,
});

}  // namespace
}  // namespace envpool
