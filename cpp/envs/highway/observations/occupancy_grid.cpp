// OccupancyGrid: features of the vehicles in cells around the own one, and lanes.
#include <algorithm>
#include <cmath>

#include "highway/driving_options.h"
#include "highway/numbers.h"
#include "highway/observations/features.h"
#include "highway/observations/types.h"

namespace envpool::highway {
namespace {

constexpr int kMostCells = 1'000'000;

class OccupancyGrid final : public NumbersObservation {
 public:
  explicit OccupancyGrid(const Options& options)
      : features_(FeaturesOf(options,
                             {Feature::kPresence, Feature::kVx, Feature::kVy, Feature::kOnRoad})),
        ranges_(options),
        is_clipped_(options.Flag("observation_clip")),
        is_aligned_(options.Flag("observation_align_to_vehicle_axes")) {
    Require(!options.Flag("observation_absolute"),
            "observation_absolute is True, expected False with observation_type 'OccupancyGrid'");
    ranges_.SetUsual({Feature::kVx, Feature::kVy}, {-2 * kMostSpeed, 2 * kMostSpeed});
    SetCells(NumbersOf(options, "observation_grid_size", 4),
             NumbersOf(options, "observation_grid_step", 2));
  }

 private:
  std::vector<int> Shape() const override {
    return {static_cast<int>(features_.size()), rows_, columns_};
  }

  void SetCells(const std::vector<double>& size, const std::vector<double>& step) {
    const double rows = std::floor((size[1] - size[0]) / step[0]);
    const double columns = std::floor((size[3] - size[2]) / step[1]);
    constexpr double kLeastStep = 0.01;
    const bool are_steps_long = step[0] >= kLeastStep && step[1] >= kLeastStep;
    Require(are_steps_long && rows >= 1 && columns >= 1 && rows * columns <= kMostCells,
            "observation_grid_size and observation_grid_step make a grid of " + Shortest(rows) +
                " x " + Shortest(columns) +
                " cells, expected at least 1 x 1, at most a million, and each of 0.01 m or more");
    start_ = {size[0], size[2]};
    step_ = {step[0], step[1]};
    reach_ = 1.0 + std::hypot(std::max(std::abs(size[0]), std::abs(size[1])),
                              std::max(std::abs(size[2]), std::abs(size[3])));
    rows_ = static_cast<int>(rows);
    columns_ = static_cast<int>(columns);
  }

  void Append(const Traffic& traffic, int player, Random& /*random*/,
              std::vector<float>& to) const override {
    const Vehicle& self = traffic.Player(player);
    const auto cells_of_layer = static_cast<std::size_t>(rows_ * columns_);
    // Upstream writes into the image of a coordinate, if that has a range, and back.
    const auto place_of = [&](const Vehicle& vehicle, Feature feature) {
      const double value = FeatureOf(traffic, vehicle, feature, &self, true);
      const std::optional<Interval>& range = ranges_[feature];
      if (!range) return value;
      return Map(Map(value, *range, {-1.0, 1.0}), {-1.0, 1.0}, *range);
    };
    std::vector<double> cells;
    for (const Feature feature : features_) {
      cells.assign(cells_of_layer, kNaN);
      if (feature == Feature::kOnRoad) {
        MarkLanes(traffic, self, cells);
      } else {
        // The first vehicle in a cell is the one that stays.
        for (auto vehicle = traffic.vehicles.rbegin(); vehicle != traffic.vehicles.rend();
             ++vehicle) {
          const Point at = {place_of(*vehicle, Feature::kX), place_of(*vehicle, Feature::kY)};
          const std::optional<std::size_t> cell = CellOf(at, self);
          if (!cell) continue;
          const double value = FeatureOf(traffic, *vehicle, feature, &self, true);
          cells[*cell] = Normalized(value, ranges_[feature]);
        }
      }
      for (const double cell : cells) {
        const double value = is_clipped_ ? numpy::Clip(cell, -1.0, 1.0) : cell;
        to.push_back(std::isnan(value) ? 0.0F : static_cast<float>(value));
      }
    }
  }

  void MarkLanes(const Traffic& traffic, const Vehicle& self, std::vector<double>& cells) const {
    constexpr double kDistance = 100.0;
    const double spacing = std::min(step_.x, step_.y);
    for (const Lane& lane : traffic.network.Lanes()) {
      const OnLane at = lane.Local(self.position);
      const double origin = at.longitudinal;
      // What is certainly beyond the grid is skipped; all cells that are hit become 1.
      const bool is_straight = lane.shape == Lane::Shape::kStraight;
      if (lane.shape != Lane::Shape::kSine && std::abs(at.lateral) > reach_) continue;
      // As numpy.arange has them: from the first two on.
      const double first = origin - kDistance;
      const double delta = (first + spacing) - first;
      const double count = std::ceil(((origin + kDistance) - first) / spacing);
      double last = kNaN;
      for (int i = 0; i < count; ++i) {
        const double raw = i == 1 ? first + spacing : first + i * delta;
        const double along = numpy::Clip(raw, 0.0, lane.length);
        if (along == last) continue;
        last = along;
        if (is_straight && std::abs(along - origin) > reach_) continue;
        const auto cell = CellOf(lane.Position(along, 0.0) - self.position, self);
        if (cell) cells[*cell] = 1.0;
      }
    }
  }

  std::optional<std::size_t> CellOf(Point position, const Vehicle& self) const {
    if (is_aligned_) {
      const Rotation back(Point{self.direction.x, -self.direction.y});
      position = back.Of(position, kernels.gemv);
    }
    const double row = std::floor((position.x - start_.x) / step_.x);
    const double column = std::floor((position.y - start_.y) / step_.y);
    if (!(row >= 0 && row < rows_ && column >= 0 && column < columns_)) return std::nullopt;
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
           static_cast<std::size_t>(column);
  }

  const std::vector<Feature> features_;
  FeatureRanges ranges_;
  const bool is_clipped_;
  const bool is_aligned_;
  Point start_;
  Point step_;
  double reach_ = 0.0;  // from the vehicle to the farthest corner, m, and 1 m
  int rows_ = 0;
  int columns_ = 0;
};

}  // namespace

std::unique_ptr<Observation> MakeOccupancyGrid(const Options& options) {
  return std::make_unique<OccupancyGrid>(options);
}

}  // namespace envpool::highway
