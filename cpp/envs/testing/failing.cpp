// Failing: throws where its options say, or contradicts its spec.
#include <new>
#include <stdexcept>
#include <string>

#include "envpool/family.h"

namespace envpool {
namespace {

class Failing final : public Env {
 public:
  explicit Failing(const Options& options)
      : place_(options.Text("place")),
        error_(options.Text("error")),
        fail_at_(options.Integer("fail_at")) {
    FailIf("constructor");
  }

  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kInt32, {1}, {0})},
            .action = {Discrete("action", 2)},
            .info = {Box("resets", DType::kInt64, {})}};
  }

  void Reset(Random&, const Options&) override {
    step_ = 0;
    ++resets_;
    FailIf("reset");
  }

  StepResult Step(const Action&, Random&) override {
    ++step_;
    if (step_ == fail_at_) FailIf("step");
    return {.reward = 1.0};
  }

  void Observe(const Row& row) const override {
    if (step_ == fail_at_) FailIf("observe");
    row.Observation<std::int32_t>()[0] = static_cast<std::int32_t>(step_);
    row.Info<std::int64_t>()[0] = resets_;
  }

  int NumPlayers() const override { return place_ == "players" ? 2 : 1; }

  void Serialize(Archive& archive) override {
    if (archive.IsReader()) FailIf("state");
    archive.Count(step_, resets_);
  }

 private:
  void FailIf(const std::string& place) const {
    if (place_ != place) return;
    if (error_ == "bad_alloc") throw std::bad_alloc();
    if (error_ == "number") throw 42;
    throw std::runtime_error("failed on purpose in " + place);
  }

  const std::string place_;
  const std::string error_;
  const std::int64_t fail_at_;
  std::int64_t step_ = 0;
  std::int64_t resets_ = 0;
};

[[maybe_unused]] const bool registered = Register({
    .name = "Failing",
    .options = {{"place", "never",
                 "'constructor', 'players', 'reset', 'step', 'observe', 'state' or 'never'"},
                {"error", "runtime_error", "'runtime_error', 'bad_alloc' or 'number'"},
                {"fail_at", 2, "the step of the episode that fails"}},
    .spec = Failing::MakeSpec,
    .create = Create<Failing>,
});

}  // namespace
}  // namespace envpool
