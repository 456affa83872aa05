// Counting: the observation is the step of the episode, the reward is the action.
#include "envpool/family.h"

namespace envpool {
namespace {

class Counting final : public Env {
 public:
  explicit Counting(const Options& options) : length_(options.Integer("episode_length")) {}

  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kInt32, {1}, {0})},
            .action = {Discrete("action", 1000)},
            .info = {Box("episode", DType::kInt64, {})}};
  }

  void Reset(Random&, const Options& options) override {
    step_ = options.Integer("start");
    ++episode_;
  }

  StepResult Step(const Action& action, Random&) override {
    ++step_;
    return {.reward = static_cast<double>(action.Value<std::int32_t>()),
            .terminated = step_ >= length_};
  }

  void Observe(const Row& row) const override {
    row.Observation<std::int32_t>()[0] = static_cast<std::int32_t>(step_);
    row.Info<std::int64_t>()[0] = episode_;
  }

  void Serialize(Archive& archive) override {
    constexpr std::int64_t kFar = std::int64_t{1} << 62;
    archive.Range(step_, -kFar, kFar);
    archive.Count(episode_);
  }

 private:
  const std::int64_t length_;
  std::int64_t step_ = 0;
  std::int64_t episode_ = 0;
};

[[maybe_unused]] const bool registered = Register({
    .name = "Counting",
    .options = {{"episode_length", 10, "steps until the episode terminates"}},
    .reset_options = {{"start", 0, "the first observation"}},
    .spec = Counting::MakeSpec,
    .create = Create<Counting>,
});

}  // namespace
}  // namespace envpool
