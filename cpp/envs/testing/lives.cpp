// Lives: a game of several lives, each of which is an episode of its own. The observation tells
// what the executor has called: the number of the game since the last seed and of the life in it,
// the step in the life, the lives left, the seed modulo 1000, and a number that the episode has
// drawn.
#include "envpool/family.h"

namespace envpool {
namespace {

constexpr std::int64_t kSeeds = 1000;
constexpr std::int64_t kFar = std::int64_t{1} << 62;  // from any overflow

class Lives final : public Env {
 public:
  explicit Lives(const Options& options)
      : most_lives_(options.Integer("lives")), life_length_(options.Integer("life_length")) {}

  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kInt64, {6}, {0})},
            .action = {Discrete("action", 1000)},
            .info = {Box("lives", DType::kInt64, {}), Box("life", DType::kInt64, {}),
                     Box("game", DType::kInt64, {})}};
  }

  // The generator is not default_rng(seed), but default_rng(seed + kSeeds).
  void Seed(std::uint64_t seed, Random& random) override {
    random = Random(seed + kSeeds);
    seed_ = static_cast<std::int64_t>(seed % kSeeds);
    game_ = 0;
  }

  void Reset(Random& random, const Options& options) override {
    ++game_;
    lives_ = most_lives_;
    life_ = 0;
    StartLife(random, options.Integer("start"));
  }

  bool CanContinue() const override { return lives_ > 0; }
  void Continue(Random& random) override { StartLife(random, 0); }

  // The first step of a life has a discount of its own.
  StepResult Step(const Action& action, Random&) override {
    const bool is_lost = ++step_ >= life_length_;
    lives_ -= is_lost && lives_ > 0;
    return {.reward = static_cast<double>(action.Value<std::int32_t>()),
            .discount = step_ == 1 ? 0.5F : 1.0F,
            .terminated = is_lost};
  }

  void Observe(const Row& row) const override {
    const auto obs = row.Observation<std::int64_t>();
    obs[0] = game_;
    obs[1] = life_;
    obs[2] = step_;
    obs[3] = lives_;
    obs[4] = seed_;
    obs[5] = drawn_;
    row.Info<std::int64_t>(0)[0] = lives_;
    row.Info<std::int64_t>(1)[0] = life_;
    row.Info<std::int64_t>(2)[0] = game_;
  }

  void Serialize(Archive& archive) override {
    archive.Count(game_, life_);
    archive.Range(step_, -kFar, kFar);
    archive.Count(lives_);
    archive.Any(seed_, drawn_);
  }

 private:
  void StartLife(Random& random, std::int64_t step) {
    ++life_;
    step_ = step;
    drawn_ = random.Integers(1000);
  }

  const std::int64_t most_lives_;
  const std::int64_t life_length_;
  std::int64_t game_ = 0;
  std::int64_t life_ = 0;
  std::int64_t step_ = 0;
  std::int64_t lives_ = 0;
  std::int64_t seed_ = 0;
  std::int64_t drawn_ = 0;
};

[[maybe_unused]] const bool registered = Register({
    .name = "Lives",
    .options = {{"lives", 3, "lives of a game"}, {"life_length", 2, "steps until a life is lost"}},
    .reset_options = {{"start", 0, "the step in its first life that a game starts with"}},
    .spec = Lives::MakeSpec,
    .create = Create<Lives>,
});

}  // namespace
}  // namespace envpool
