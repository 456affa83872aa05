// NChain: go forward along a chain to a large reward at its end, or back for a small one. The agent
// may slip and do the opposite.
//
// The rules and numbers are those of gym/envs/toy_text/nchain.py in OpenAI's gym before 0.20, with
// its defaults (M. Strens, "A Bayesian Framework for Reinforcement Learning", 2000, section 6.1).
// The agent slips where the generator's next random() is below 0.2; a reset draws nothing.
#include <cstdint>

#include "envpool/family.h"
#include "toy_text/checks.h"

namespace envpool::nchain {
namespace {

constexpr std::int32_t kLength = 5;
constexpr double kSlip = 0.2;
constexpr double kSmall = 2.0;
constexpr double kLarge = 10.0;

class NChain final : public Env {
 public:
  explicit NChain(const Options&) {}

  static Spec MakeSpec(const Options&) {
    return {.observation = {Discrete("obs", kLength)}, .action = {Discrete("action", 2)}};
  }

  void Reset(Random&, const Options&) override { link_ = 0; }

  StepResult Step(const Action& action, Random& random) override {
    const bool slips = random.Unit() < kSlip;
    const bool goes_back = (action.Value<std::int32_t>() != 0) != slips;
    if (goes_back) {
      link_ = 0;
      return {.reward = kSmall};
    }
    if (link_ == kLength - 1) return {.reward = kLarge};
    ++link_;
    return {};
  }

  void Observe(const Row& row) const override { row.Observation<std::int32_t>()[0] = link_; }

  void Serialize(Archive& archive) override { archive.Index(link_, kLength); }

  Scene Describe() const override { return {{"state", {static_cast<double>(link_)}}}; }

 private:
  std::int32_t link_ = 0;
};

[[maybe_unused]] const bool registered = Register({
    .name = "NChain",
    .spec = NChain::MakeSpec,
    .create = Create<NChain>,
    .frame_size = [](const Options&) { return FrameSize{48 * kLength, 48}; },
    .render_fps = StepsPerSecond,
});

}  // namespace
}  // namespace envpool::nchain
