// FrozenLake: cross a frozen lake to the goal without falling into a hole; the ice is slippery.
//
// Follows gymnasium/envs/toy_text/frozen_lake.py. Each reset and each step draws one number.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/family.h"
#include "envpool/fork_local.h"
#include "envpool/toy_text/categorical.h"
#include "toy_text/checks.h"

namespace envpool::frozen_lake {
namespace {

using Map = std::vector<std::string>;  // 'S'tart, 'F'rozen, 'H'ole, 'G'oal; row by row

// Made when the library is loaded: a child forked while another thread makes a function's static
// would wait for it for ever.
const Map small_map = {"SFFF", "FHFH", "FFFH", "HFFG"};
const Map large_map = {"SFFFFFFF", "FFFFFFFF", "FFFHFFFF", "FFFFFHFF",
                       "FFFHFFFF", "FHHFFFHF", "FHFFHFHF", "FFFHFFFG"};

// A byte that is no printable character may be a part of one.
std::string NameOf(char tile) {
  if (' ' <= tile && tile <= '~') return std::string("the tile '") + tile + "'";
  return "a tile that is no ASCII letter";
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
      throw std::invalid_argument("desc has " + NameOf(row[wrong]) +
                                  ", expected 'S', 'F', 'H' or 'G'");
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
  if (name == "4x4" || (name.empty() && size == 4)) return small_map;
  if (name == "8x8" || (name.empty() && size == 8)) return large_map;
  if (name.empty()) {
    throw std::invalid_argument("size is " + std::to_string(size) + ", expected 4 or 8");
  }
  throw std::invalid_argument("map_name is '" + name + "', expected '4x4' or '8x8'");
}

struct Cell {
  char tile = 'F';
  // Left, below, right and above, which are the actions; at the border the cell itself.
  std::array<std::int32_t, 4> neighbours{};

  bool IsEnd() const { return tile == 'G' || tile == 'H'; }
};

// A Lake is a map as the game needs it; it never changes.
class Lake {
 public:
  explicit Lake(const Map& map) : start_(StartOf(map)) {
    const auto rows = static_cast<std::int32_t>(map.size());
    const auto columns = static_cast<std::int32_t>(map[0].size());
    const auto cell = [columns](std::int32_t row, std::int32_t column) {
      return row * columns + column;
    };
    for (std::int32_t row = 0; row < rows; ++row) {
      for (std::int32_t column = 0; column < columns; ++column) {
        cells_.push_back(
            {map[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)],
             {cell(row, std::max(column - 1, 0)), cell(std::min(row + 1, rows - 1), column),
              cell(row, std::min(column + 1, columns - 1)), cell(std::max(row - 1, 0), column)}});
      }
    }
  }

  std::size_t Size() const { return cells_.size(); }
  const Cell& operator[](std::int32_t cell) const { return cells_[static_cast<std::size_t>(cell)]; }

  // Draws a start; all are as likely.
  std::int32_t Start(double drawn) const { return static_cast<std::int32_t>(start_.Sample(drawn)); }

 private:
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

  std::vector<Cell> cells_;  // row by row
  Categorical<std::vector<double>> start_;
};

struct Lakes {
  std::mutex mutex;
  std::map<Map, std::weak_ptr<const Lake>> by_map;
};
constinit ForkLocal<Lakes> all_lakes;

// Returns one lake for all environments of the same map, as long as there are any.
std::shared_ptr<const Lake> LakeOf(const Map& map) {
  Lakes& lakes = all_lakes.Get();
  const std::lock_guard lock(lakes.mutex);
  std::shared_ptr<const Lake> lake = lakes.by_map[map].lock();
  if (lake == nullptr) {
    std::erase_if(lakes.by_map, [](const auto& entry) { return entry.second.expired(); });
    lake = std::make_shared<const Lake>(map);
    lakes.by_map[map] = lake;
  }
  return lake;
}

class FrozenLake final : public Env {
 public:
  explicit FrozenLake(const Options& options)
      : lake_(LakeOf(MapOf(options))),
        is_slippery_(options.Flag("is_slippery")),
        slip_(SlipOf(options)) {
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
            .info = {TransitionProbability()}};
  }

  // Makes 64 pixels per cell, as Gymnasium does, as long as they are not too many.
  static FrameSize PictureSize(const Options& options) {
    const Map& map = MapOf(options);
    const auto pixels = [](std::size_t cells) {
      return static_cast<int>(std::min<std::size_t>(64 * cells, 512));
    };
    return {pixels(map[0].size()), pixels(map.size())};
  }

  void Reset(Random& random, const Options&) override {
    cell_ = lake_->Start(random.Unit());
    probability_ = 1.0;
  }

  StepResult Step(const Action& action, Random& random) override {
    const double drawn = random.Unit();
    probability_ = 1.0;
    if (Here().IsEnd()) return {.terminated = true};
    auto direction = static_cast<std::size_t>(action.Value<std::int32_t>());
    if (is_slippery_) {
      const std::size_t outcome = slip_.Sample(drawn);
      probability_ = slip_.Probability(outcome);
      direction = (direction + 3 + outcome) % 4;
    }
    cell_ = Here().neighbours[direction];
    return {.reward = Reward(), .terminated = Here().IsEnd()};
  }

  void Observe(const Row& row) const override {
    row.Observation<std::int32_t>()[0] = cell_;
    row.Info<double>()[0] = probability_;
  }

  void Serialize(Archive& archive) override {
    archive.Index(cell_, lake_->Size());
    archive(probability_);
  }

  Scene Describe() const override { return {{"state", {static_cast<double>(cell_)}}}; }

 private:
  // The outcomes of a move on slippery ice: to one side, as intended, to the other side.
  static Categorical<std::array<double, 3>> SlipOf(const Options& options) {
    const double success = options.Number("success_rate");
    const double fail = (1.0 - success) / 2.0;
    return Categorical<std::array<double, 3>>({fail, success, fail});
  }

  const Cell& Here() const { return (*lake_)[cell_]; }
  double Reward() const { return rewards_[Here().tile == 'G' ? 0 : Here().tile == 'H' ? 1 : 2]; }

  const std::shared_ptr<const Lake> lake_;
  const bool is_slippery_;
  std::int32_t cell_ = 0;
  double probability_ = 1.0;  // of the last transition
  const Categorical<std::array<double, 3>> slip_;
  std::array<double, 3> rewards_{};  // of goal, hole and ice
};

[[maybe_unused]] const bool registered = Register({
    .name = "FrozenLake",
    .options = {{"size", 4, "rows and columns of the map, 4 or 8"},
                {"map_name", "", "'4x4' or '8x8', instead of size"},
                {"desc", Map{},
                 "a map of one's own, instead of both: rows of the tiles S, F, H, G"},
                {"is_slippery", true, "moves may go to a side"},
                {"success_rate", 1.0 / 3.0, "probability of the intended move on slippery ice",
                 kProbability},
                {"reward_schedule", std::vector<double>{1.0, 0.0, 0.0},
                 "rewards of goal, hole and ice"}},
    .spec = FrozenLake::MakeSpec,
    .create = Create<FrozenLake>,
    .frame_size = FrozenLake::PictureSize,
    .render_fps = StepsPerSecond,
});

}  // namespace
}  // namespace envpool::frozen_lake
