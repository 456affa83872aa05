// CliffWalking: walk along a cliff to the goal; who falls off is back at the start.
//
// Follows gymnasium/envs/toy_text/cliffwalking.py (R. Sutton, A. Barto, "Reinforcement Learning: An
// Introduction", example 6.6). Each reset and each step draws one number.
#include <algorithm>
#include <array>
#include <cstdint>

#include "envpool/family.h"
#include "envpool/toy_text/categorical.h"
#include "toy_text/checks.h"

namespace envpool::cliff_walking {
namespace {

constexpr std::int32_t kRows = 4;
constexpr std::int32_t kColumns = 12;
constexpr std::int32_t kStart = (kRows - 1) * kColumns;
constexpr std::int32_t kGoal = kRows * kColumns - 1;  // between the two is the cliff
constexpr double kFall = -100.0;
constexpr double kWay = -1.0;

enum Direction : std::uint8_t { kUp, kRight, kDown, kLeft };

constexpr std::int8_t Neighbour(std::int32_t cell, Direction direction) {
  std::int32_t row = cell / kColumns;
  std::int32_t column = cell % kColumns;
  switch (direction) {
    case kUp: row = std::max(row - 1, 0); break;
    case kRight: column = std::min(column + 1, kColumns - 1); break;
    case kDown: row = std::min(row + 1, kRows - 1); break;
    case kLeft: column = std::max(column - 1, 0); break;
  }
  return static_cast<std::int8_t>(row * kColumns + column);
}

// kNeighbours[cell][move] is where each move leads from each cell.
constexpr auto kNeighbours = [] {
  std::array<std::array<std::int8_t, 4>, kRows * kColumns> neighbours{};
  for (std::int32_t cell = 0; cell < kRows * kColumns; ++cell) {
    for (const Direction direction : {kUp, kRight, kDown, kLeft}) {
      neighbours[static_cast<std::size_t>(cell)][direction] = Neighbour(cell, direction);
    }
  }
  return neighbours;
}();

class CliffWalking final : public Env {
 public:
  explicit CliffWalking(const Options& options) : is_slippery_(options.Flag("is_slippery")) {}

  static Spec MakeSpec(const Options&) {
    return {.observation = {Discrete("obs", kRows * kColumns)},
            .action = {Discrete("action", 4)},
            .info = {Box("prob_float32", DType::kFloat32, {}), TransitionProbability()}};
  }

  void Reset(Random& random, const Options&) override {
    random.Unit();  // Gymnasium draws the start too, out of one
    cell_ = kStart;
    probability_ = 1.0;
  }

  StepResult Step(const Action& action, Random& random) override {
    // to the left of the intended direction, as intended, to the right of it
    static const Categorical<std::array<double, 3>> slip({1.0 / 3, 1.0 / 3, 1.0 / 3});
    const double drawn = random.Unit();
    auto direction = static_cast<std::size_t>(action.Value<std::int32_t>());
    if (is_slippery_) {
      direction = (direction + 3 + slip.Sample(drawn)) % 4;
      probability_ = 1.0 / 3;
    } else {
      probability_ = 1.0;
    }
    cell_ = kNeighbours[static_cast<std::size_t>(cell_)][direction];
    if (cell_ > kStart && cell_ < kGoal) {
      cell_ = kStart;
      return {.reward = kFall};
    }
    return {.reward = kWay, .terminated = cell_ == kGoal};
  }

  void Observe(const Row& row) const override {
    row.Observation<std::int32_t>()[0] = cell_;
    row.Info<float>(0)[0] = static_cast<float>(probability_);
    row.Info<double>(1)[0] = probability_;
  }

  void Serialize(Archive& archive) override {
    archive.Index(cell_, kRows * kColumns);
    archive(probability_);
  }

  Scene Describe() const override { return {{"state", {static_cast<double>(cell_)}}}; }

 private:
  const bool is_slippery_;
  std::int32_t cell_ = kStart;
  double probability_ = 1.0;  // of the last transition
};

[[maybe_unused]] const bool registered = Register({
    .name = "CliffWalking",
    .options = {{"is_slippery", false, "two of three moves go to a side"}},
    .spec = CliffWalking::MakeSpec,
    .create = Create<CliffWalking>,
    .frame_size = [](const Options&) { return FrameSize{768, 256}; },
    .render_fps = StepsPerSecond,
});

}  // namespace
}  // namespace envpool::cliff_walking
