// FrozenLake: cross a frozen lake to the goal without falling into a hole; the ice is slippery.
//
// Follows gymnasium/envs/toy_text/frozen_lake.py. Each reset and each step draws one number.
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/family.h"
#include "toy_text/categorical.h"
#include "toy_text/checks.h"

namespace envpool {
namespace {

using Map = std::vector<std::string>;  // 'S'tart, 'F'rozen, 'H'ole, 'G'oal; row by row

const Map& SmallMap() {
  static const Map map = {"SFFF", "FHFH", "FFFH", "HFFG"};
  return map;
}
const Map& LargeMap() {
  static const Map map = {"SFFFFFFF", "FFFFFFFF", "FFFHFFFF", "FFFFFHFF",
                          "FFFHFFFF", "FHHFFFHF", "FHFFHFHF", "FFFHFFFG"};
  return map;
}

void CheckMap(const Map& map) {
  bool has_start = false;
  for (const std::string& row : map) {
    if (row.empty() || row.size() != map[0].size()) {
      throw std::invalid_argument("desc has a row of " + std::to_string(row.size()) +
                                  " tiles, expected rows of equal length, at least 1");
    }
    const std::size_t wrong = row.find_first_not_of("SFHG");
    if (wrong != std::string::npos) {
      throw std::invalid_argument("desc has the tile '" + row.substr(wrong, 1) +
                                  "', expected 'S', 'F', 'H' or 'G'");
    }
    has_start = has_start || row.find('S') != std::string::npos;
  }
  if (!has_start) throw std::invalid_argument("desc has no start, expected a tile 'S'");
}

// desc comes before map_name, as in Gymnasium, and map_name before size.
const Map& MapOf(const Options& options) {
  const Map& desc = options.Get<Map>("desc");
  if (!desc.empty()) {
    CheckMap(desc);
    return desc;
  }
  const std::string& name = options.Text("map_name");
  const std::int64_t size = options.Integer("size");
  if (name == "4x4" || (name.empty() && size == 4)) return SmallMap();
  if (name == "8x8" || (name.empty() && size == 8)) return LargeMap();
  if (name.empty()) {
    throw std::invalid_argument("size is " + std::to_string(size) + ", expected 4 or 8");
  }
  throw std::invalid_argument("map_name is '" + name + "', expected '4x4' or '8x8'");
}

enum Direction : std::int32_t { kLeft, kDown, kRight, kUp };

class FrozenLake final : public Env {
 public:
  explicit FrozenLake(const Options& options)
      : columns_(static_cast<std::int32_t>(MapOf(options)[0].size())),
        is_slippery_(options.Flag("is_slippery")),
        slip_(SlipOf(options)),
        start_(StartOf(MapOf(options))) {
    for (const std::string& row : MapOf(options)) tiles_ += row;
    const auto& rewards = options.Get<std::vector<double>>("reward_schedule");
    if (rewards.size() != rewards_.size()) {
      throw std::invalid_argument("reward_schedule has " + std::to_string(rewards.size()) +
                                  " numbers, expected 3: of goal, hole and ice");
    }
    std::ranges::copy(rewards, rewards_.begin());
  }

  static Spec MakeSpec(const Options& options) {
    const Map& map = MapOf(options);
    const auto cells = static_cast<int>(map.size() * map[0].size());
    return {.observation = {Discrete("obs", cells)},
            .action = {Discrete("action", 4)},
            .info = {TransitionProbability(true)}};
  }

  void Reset(Random& random, const Options&) override {
    cell_ = static_cast<std::int32_t>(start_.Sample(random.Unit()));
    probability_ = 1.0;
  }

  StepResult Step(const Action& action, Random& random) override {
    const double drawn = random.Unit();
    probability_ = 1.0;
    if (IsEnd(Tile())) return {.terminated = true};
    auto direction = action.Value<std::int32_t>();
    if (is_slippery_) {
      const std::size_t outcome = slip_.Sample(drawn);
      probability_ = slip_.Probability(outcome);
      direction = (direction + 3 + static_cast<std::int32_t>(outcome)) % 4;
    }
    Move(static_cast<Direction>(direction));
    return {.reward = Reward(), .terminated = IsEnd(Tile())};
  }

  void Observe(const Row& row) const override {
    row.Observation<std::int32_t>()[0] = cell_;
    row.Info<double>()[0] = probability_;
  }

  void Serialize(Archive& archive) override { archive(cell_, probability_); }

  Scene Describe() const override { return {{"state", {static_cast<double>(cell_)}}}; }

 private:
  // The outcomes of a move on slippery ice: to one side, as intended, to the other side.
  static Categorical<std::array<double, 3>> SlipOf(const Options& options) {
    const double success = Probability(options, "success_rate");
    const double fail = (1.0 - success) / 2.0;
    return Categorical<std::array<double, 3>>({fail, success, fail});
  }

  static Categorical<std::vector<double>> StartOf(const Map& map) {
    std::vector<double> weights;
    double starts = 0.0;
    for (const std::string& row : map) {
      for (const char tile : row) {
        weights.push_back(tile == 'S' ? 1.0 : 0.0);
        starts += weights.back();
      }
    }
    for (double& weight : weights) weight /= starts;
    return Categorical<std::vector<double>>(std::move(weights));
  }

  char Tile() const { return tiles_[static_cast<std::size_t>(cell_)]; }
  static bool IsEnd(char tile) { return tile == 'G' || tile == 'H'; }
  double Reward() const { return rewards_[Tile() == 'G' ? 0 : Tile() == 'H' ? 1 : 2]; }

  void Move(Direction direction) {
    const auto cells = static_cast<std::int32_t>(tiles_.size());
    switch (direction) {
      case kLeft: cell_ -= cell_ % columns_ > 0 ? 1 : 0; break;
      case kDown: cell_ += cell_ + columns_ < cells ? columns_ : 0; break;
      case kRight: cell_ += cell_ % columns_ + 1 < columns_ ? 1 : 0; break;
      case kUp: cell_ -= cell_ >= columns_ ? columns_ : 0; break;
    }
  }

  const std::int32_t columns_;
  const bool is_slippery_;
  std::int32_t cell_ = 0;
  double probability_ = 1.0;  // of the last transition
  const Categorical<std::array<double, 3>> slip_;
  const Categorical<std::vector<double>> start_;
  std::array<double, 3> rewards_{};  // of goal, hole and ice
  std::string tiles_;
};

[[maybe_unused]] const bool registered = Register({
    .name = "FrozenLake",
    .options = {{"size", 4, "rows and columns of the map, 4 or 8"},
                {"map_name", "", "'4x4' or '8x8', instead of size"},
                {"desc", Map{},
                 "a map of one's own, instead of both: rows of the tiles S, F, H, G"},
                {"is_slippery", true, "moves may go to a side"},
                {"success_rate", 1.0 / 3.0, "probability of the intended move on slippery ice"},
                {"reward_schedule", std::vector<double>{1.0, 0.0, 0.0},
                 "rewards of goal, hole and ice"}},
    .spec = FrozenLake::MakeSpec,
    .create = Create<FrozenLake>,
    .render_fps = StepsPerSecond,
});

}  // namespace
}  // namespace envpool
