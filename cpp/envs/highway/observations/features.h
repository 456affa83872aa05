// Features: numbers that are observed of a vehicle or object, by upstream's names.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "envpool/options.h"
#include "highway/traffic.h"

namespace envpool::highway {

enum class Feature {
  kPresence,
  kX,
  kY,
  kVx,
  kVy,
  kHeading,
  kCosH,
  kSinH,
  kCosD,
  kSinD,
  kLongOff,
  kLatOff,
  kAngOff,
  kOnRoad,  // of a cell: 1 where there is a lane
};
inline constexpr int kFeatures = 14;
inline constexpr double kMostSpeed = 40.0;  // upstream's Vehicle.MAX_SPEED

// Returns a feature of a vehicle or object, relative to `origin` if there is one; NaN if it has no
// such feature.
double FeatureOf(const Traffic& traffic, const Vehicle& vehicle, Feature feature,
                 const Vehicle* origin, bool sees_intentions);

// Returns the features that the options name, or the usual ones if they name none. Throws
// std::invalid_argument for names that are none.
std::vector<Feature> FeaturesOf(const Options& options, std::vector<Feature> usual);

// Which intervals of features become [-1, 1]; those without one stay as they are.
class FeatureRanges {
 public:
  // Throws std::invalid_argument if an option is no interval.
  explicit FeatureRanges(const Options& options);

  // True if the options have any; then there are no usual ones.
  bool AreGiven() const { return are_given_; }
  // Gives features a range, unless the options have any.
  void SetUsual(std::initializer_list<Feature> features, Interval range);

  const std::optional<Interval>& operator[](Feature feature) const {
    return ranges_[static_cast<std::size_t>(feature)];
  }

 private:
  std::array<std::optional<Interval>, kFeatures> ranges_;
  bool are_given_ = false;
};

inline double Normalized(double value, const std::optional<Interval>& range) {
  return range ? Map(value, *range, {-1.0, 1.0}) : value;
}

}  // namespace envpool::highway
