// Kinematics: features of the closest vehicles; and ExitObservation, which knows the exit.
#include <algorithm>
#include <span>

#include "highway/driving_options.h"
#include "highway/observations/features.h"
#include "highway/observations/types.h"

namespace envpool::highway {
namespace {

class Kinematics final : public NumbersObservation {
 public:
  Kinematics(const Options& options, bool is_exit)
      : is_exit_(is_exit),
        features_(FeaturesOf(
            options, {Feature::kPresence, Feature::kX, Feature::kY, Feature::kVx, Feature::kVy})),
        vehicles_count_(static_cast<std::size_t>(options.Integer("observation_vehicles_count"))),
        ranges_(options),
        is_absolute_(options.Flag("observation_absolute")),
        is_sorted_(options.Text("observation_order") == "sorted"),
        is_normalized_(options.Flag("observation_normalize")),
        is_clipped_(options.Flag("observation_clip")),
        sees_behind_(options.Flag("observation_see_behind")),
        sees_intentions_(options.Flag("observation_observe_intentions")),
        sees_obstacles_(options.Flag("observation_include_obstacles")) {
    Require(std::ranges::find(features_, Feature::kOnRoad) == features_.end(),
            "observation_features has 'on_road', expected it only with observation_type "
            "'OccupancyGrid'");
    ranges_.SetUsual({Feature::kX}, {-5.0 * kMostSpeed, 5.0 * kMostSpeed});
    ranges_.SetUsual({Feature::kVx, Feature::kVy}, {-2 * kMostSpeed, 2 * kMostSpeed});
  }

  void Begin(const Traffic& traffic, int players) override {
    lanes_at_start_.clear();
    for (int player = 0; player < players; ++player) {
      lanes_at_start_.push_back(traffic.network.LanesBeside(traffic.Player(player).lane));
    }
  }

  void Serialize(Archive& archive, std::size_t players) override {
    NumbersObservation::Serialize(archive, players);
    archive.Range(lanes_at_start_, 0, 10'000);
    archive.Require(lanes_at_start_.size() == players, "another number of players");
  }

 private:
  std::vector<int> Shape() const override {
    return {static_cast<int>(vehicles_count_), static_cast<int>(features_.size())};
  }

  void Append(const Traffic& traffic, int player, Random& random,
              std::vector<float>& to) const override {
    const Vehicle& self = traffic.Player(player);
    std::vector<const Vehicle*> seen =
        traffic.Close(self, vehicles_count_ - 1, sees_behind_, is_sorted_ || is_exit_,
                      !sees_obstacles_ || is_exit_);
    seen.insert(seen.begin(), &self);
    const std::size_t start = to.size();
    for (const Vehicle* vehicle : seen) {
      const bool is_self = vehicle == &self;
      const Vehicle* origin = is_self || is_absolute_ ? nullptr : &self;
      for (const Feature feature : features_) {
        double value = FeatureOf(traffic, *vehicle, feature, origin, is_self || sees_intentions_);
        if (is_exit_ && is_self && feature == Feature::kX) {
          const Network& network = traffic.network;
          value = network[network.Find("1", "2", -1)].Local(self.position).longitudinal;
        }
        const std::optional<Interval> range = RangeOf(feature, player);
        if (is_normalized_ && range) {
          value = Normalized(value, range);
          if (is_clipped_) value = numpy::Clip(value, -1.0, 1.0);
        }
        to.push_back(static_cast<float>(value));
      }
    }
    to.resize(start + vehicles_count_ * features_.size());
    if (!is_sorted_) ShuffleOthers(std::span(to).subspan(start + features_.size()), random);
  }

  std::optional<Interval> RangeOf(Feature feature, int player) const {
    if (feature != Feature::kY || ranges_.AreGiven()) return ranges_[feature];
    const double side = kLaneWidth * lanes_at_start_[static_cast<std::size_t>(player)];
    return Interval{-side, side};
  }

  void ShuffleOthers(std::span<float> numbers, Random& random) const {
    std::vector<std::vector<float>> rows;
    for (auto row = numbers.begin(); row != numbers.end(); row += std::ssize(features_)) {
      rows.emplace_back(row, row + std::ssize(features_));
    }
    random.Shuffle(rows);
    auto to = numbers.begin();
    for (const std::vector<float>& row : rows) to = std::ranges::copy(row, to).out;
  }

  const bool is_exit_;
  const std::vector<Feature> features_;
  const std::size_t vehicles_count_;
  FeatureRanges ranges_;
  const bool is_absolute_;
  const bool is_sorted_;
  const bool is_normalized_;
  const bool is_clipped_;
  const bool sees_behind_;
  const bool sees_intentions_;
  const bool sees_obstacles_;
  std::vector<int> lanes_at_start_;  // beside each player when the episode began
};

}  // namespace

std::unique_ptr<Observation> MakeKinematics(const Options& options) {
  return std::make_unique<Kinematics>(options, false);
}
std::unique_ptr<Observation> MakeExitObservation(const Options& options) {
  return std::make_unique<Kinematics>(options, true);
}

}  // namespace envpool::highway
