// Bonus: a reward for what an agent has seldom done, as minigrid's wrappers PositionBonus and
// ActionBonus give it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/archive.h"
#include "envpool/options.h"
#include "minigrid/view.h"

namespace envpool::minigrid {

class Bonus {
 public:
  static OptionSpec Option() {
    return {"bonus",
            "none",
            "what is rewarded the less the oftener it was so: where the agent is; or where it is, "
            "which way it looks and how it moved",
            {},
            {kKinds.begin(), kKinds.end()}};
  }

  Bonus(const Options& options, Size grid)
      : kind_(KindOf(options)), height_(grid.height), counts_(CountersOf(kind_, grid)) {}

  static std::size_t BytesOf(const Options& options, Size grid) {
    return CountersOf(KindOf(options), grid) * sizeof(std::uint32_t);
  }

  // Returns the bonus of an agent that has made this move; 0 if there is none.
  double After(Move move, const Pose& agent) {
    if (counts_.empty()) return 0.0;
    std::size_t index = static_cast<std::size_t>(agent.position.x * height_ + agent.position.y);
    if (kind_ == kAction) {
      index = index * kWays + static_cast<std::size_t>(agent.direction * kMoves) +
              static_cast<std::size_t>(move);
    }
    std::uint32_t& count = counts_[index];
    if (count < std::numeric_limits<std::uint32_t>::max()) ++count;
    return 1 / std::sqrt(static_cast<double>(count));
  }

  void Serialize(Archive& archive) { archive.Any(std::span(counts_)); }

 private:
  // The names of the option's values, and their places in them.
  static constexpr std::array<std::string_view, 3> kKinds = {"none", "position", "action"};
  static constexpr std::size_t kNone = 0;
  static constexpr std::size_t kAction = 2;

  static constexpr int kMoves = 7;
  static constexpr std::size_t kWays = 4 * kMoves;  // of moving, and of looking then

  static std::size_t KindOf(const Options& options) {
    const auto* const found = std::ranges::find(kKinds, options.Text("bonus"));
    return static_cast<std::size_t>(found - kKinds.begin());
  }

  static std::size_t CountersOf(std::size_t kind, Size grid) {
    if (kind == kNone) return 0;
    const auto cells = static_cast<std::size_t>(grid.width * grid.height);
    return cells * (kind == kAction ? kWays : 1);
  }

  const std::size_t kind_;
  const int height_;
  std::vector<std::uint32_t> counts_;  // of all episodes
};

}  // namespace envpool::minigrid
