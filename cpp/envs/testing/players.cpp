// Players: a game whose number of players changes with every step, unless it is told otherwise.
//
// There are 1, 2, ..., max, 1, 2, ... players, or always max. Each sees the step and its own
// number, and is rewarded with its own action. Pictures have a row per player: its own for as long
// as it is there.
#include <algorithm>
#include <vector>

#include "envpool/family.h"

namespace envpool {
namespace {

constexpr int kWidth = 4;
constexpr int kColours = 3;

class Players final : public Env {
 public:
  explicit Players(const Options& options)
      : most_(static_cast<int>(options.Integer("players"))),
        varies_(options.Flag("varies")),
        rewards_(static_cast<std::size_t>(most_)) {}

  static Spec MakeSpec(const Options& options) {
    const auto most = static_cast<int>(options.Integer("players"));
    return {.observation = {Box("obs", DType::kInt32, {2}, {0}).PerPlayer()},
            .action = {Discrete("players.action", 100).PerPlayer()},
            .info = {Box("players.id", DType::kInt32, {}).PerPlayer()},
            .max_num_players = most};
  }

  void Reset(Random&, const Options&) override { step_ = 0; }

  StepResult Step(const Action& action, Random&) override {
    const auto actions = action.Values<std::int32_t>();
    for (std::size_t player = 0; player < rewards_.size(); ++player) {
      rewards_[player] = player < actions.size() ? actions[player] : 0;
    }
    ++step_;
    return {.terminated = step_ >= 7};
  }

  void Observe(const Row& row) const override {
    const auto obs = row.Observation<std::int32_t>();
    const auto ids = row.Info<std::int32_t>();
    for (int player = 0; player < NumPlayers(); ++player) {
      const auto i = static_cast<std::size_t>(player);
      obs[2 * i] = step_;
      obs[2 * i + 1] = player;
      ids[i] = player;
    }
  }

  int NumPlayers() const override { return varies_ ? 1 + step_ % most_ : most_; }
  double PlayerReward(int player) const override {
    return rewards_[static_cast<std::size_t>(player)];
  }

  void Serialize(Archive& archive) override {
    archive(std::span(rewards_));
    archive.Count(step_);
  }

  void Render(const Frame& frame) override {
    const auto row = static_cast<std::size_t>(frame.width * kColours);
    const auto there = row * static_cast<std::size_t>(std::min(NumPlayers(), frame.height));
    std::ranges::fill(frame.pixels, std::uint8_t{0});
    std::ranges::fill(frame.pixels.first(there), std::uint8_t{255});
  }

 private:
  const int most_;
  const bool varies_;
  std::vector<double> rewards_;
  std::int32_t step_ = 0;
};

[[maybe_unused]] const bool registered = Register({
    .name = "Players",
    .options = {{"players", 3, "the most players there can be"},
                {"varies", true, "are there fewer in some steps?"}},
    .spec = Players::MakeSpec,
    .create = Create<Players>,
    .frame_size =
        [](const Options& options) {
          return FrameSize{kWidth, static_cast<int>(options.Integer("players"))};
        },
});

}  // namespace
}  // namespace envpool
