// Race: two players walk to a flag, in the wind. Who is there first wins, and the other one loses.
//
// It shows what an environment of several players has beyond walk.cpp: fields that are PerPlayer,
// NumPlayers and PlayerReward. Observations and actions are of several arrays, and Python draws the
// pictures, from what Describe tells.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "envpool/family.h"

namespace {

using namespace envpool;

constexpr std::size_t kPlayers = 2;
constexpr double kLongestStride = 0.5;  // metres
constexpr double kReach = 0.5;          // how near to the flag is there
constexpr FrameSize kPicture = {400, 100};

class Race final : public Env {
 public:
  explicit Race(const Options& options)
      : length_(options.Number("length")), wind_(options.Number("wind")) {}

  // For Python, the arrays of a dict are in nested ones: "players.position" is
  // obs["players"]["position"]. What is not PerPlayer has one row for both players.
  static Spec MakeSpec(const Options& options) {
    const Bounds start = {0.0};
    const Bounds end = {options.Number("length")};
    return {
        .observation_structure = Structure::kDict,
        .observation = {Box("flag", DType::kFloat32, {}, start, end),
                        Box("players.position", DType::kFloat32, {}, start, end).PerPlayer(),
                        Box("players.rival", DType::kFloat32, {}, start, end).PerPlayer()},
        .action_structure = Structure::kDict,
        .action = {Discrete("players.direction", 2).PerPlayer(),
                   Box("players.stride", DType::kFloat32, {}, {0.0}, {kLongestStride}).PerPlayer()},
        .info = {Box("players.distance", DType::kFloat64, {}, start, end).PerPlayer()},
        .max_num_players = kPlayers};
  }

  void Reset(Random& random, const Options&) override {
    flag_ = random.Uniform(0.0, length_);
    for (double& position : positions_) position = random.Uniform(0.0, length_);
    lead_ = 0;
  }

  // The elements of a PerPlayer field are those of the first player, then those of the next. Box
  // says what is sensible, not what comes, so what comes is clipped.
  StepResult Step(const Action& action, Random& random) override {
    const auto directions = action.Values<std::int32_t>(0);
    const auto strides = action.Values<float>(1);
    for (std::size_t player = 0; player < kPlayers; ++player) {
      const double stride = std::clamp<double>(strides[player], 0.0, kLongestStride);
      const double moved = positions_[player] + (directions[player] == 0 ? -stride : stride);
      positions_[player] = std::clamp(moved + random.Normal(0.0, wind_), 0.0, length_);
    }
    lead_ = int{HasArrived(0)} - int{HasArrived(1)};
    return {.terminated = HasArrived(0) || HasArrived(1)};
  }

  void Observe(const Row& row) const override {
    row.Observation<float>(0)[0] = static_cast<float>(flag_);
    const auto own = row.Observation<float>(1);
    const auto rivals = row.Observation<float>(2);
    const auto distances = row.Info<double>();
    for (std::size_t player = 0; player < kPlayers; ++player) {
      own[player] = static_cast<float>(positions_[player]);
      rivals[player] = static_cast<float>(positions_[1 - player]);
      distances[player] = Distance(player);
    }
  }

  // How many players there are now, and what the last step gave each of them. With several players
  // nobody looks at StepResult::reward.
  int NumPlayers() const override { return kPlayers; }
  double PlayerReward(int player) const override { return player == 0 ? lead_ : -lead_; }

  void Serialize(Archive& archive) override {
    archive.Range(flag_, 0.0, length_);
    archive.Range(positions_, 0.0, length_);
    archive.Range(lead_, -1, 1);
  }

  // What the class in drawing.py draws.
  Scene Describe() const override {
    return {{"flag", {flag_}}, {"positions", {positions_.begin(), positions_.end()}}};
  }

 private:
  double Distance(std::size_t player) const { return std::abs(positions_[player] - flag_); }
  bool HasArrived(std::size_t player) const { return Distance(player) < kReach; }

  const double length_;
  const double wind_;
  double flag_ = 0.0;
  std::array<double, kPlayers> positions_{};
  int lead_ = 0;  // 1 if the first player has won, -1 if the second one has
};

[[maybe_unused]] const bool registered = Register({
    .name = "Race",
    .options = {{"length", 10.0, "metres from one end to the other", {1.0, 1e6}},
                {"wind", 0.1, "standard deviation of what it adds to a step, metres", {0.0, 1e6}}},
    .spec = Race::MakeSpec,
    .create = Create<Race>,
    .frame_size = [](const Options&) { return kPicture; },
    .render_fps = [](const Options&) { return 10.0; },
});

}  // namespace
