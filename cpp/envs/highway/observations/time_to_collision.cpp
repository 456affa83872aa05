// TimeToCollision: when there would be collisions, for speeds and lanes around the own ones.
#include <algorithm>
#include <cmath>
#include <utility>

#include "highway/observations/types.h"

namespace envpool::highway {
namespace {

class TimeToCollision final : public NumbersObservation {
 public:
  explicit TimeToCollision(const Options& options)
      : horizon_(static_cast<int>(options.Integer("observation_horizon"))),
        seconds_per_step_(1.0 / static_cast<double>(options.Integer("policy_frequency"))) {}

  Field MakeField(const std::string& name) const override {
    return Box(name, DType::kFloat32, Shape(), {0.0}, {1.0});
  }

 private:
  std::vector<int> Shape() const override { return {3, 3, Times()}; }
  int Times() const { return static_cast<int>(horizon_ / seconds_per_step_); }

  void Append(const Traffic& traffic, int player, Random& /*random*/,
              std::vector<float>& to) const override {
    const Vehicle& self = traffic.Player(player);
    const Network& network = traffic.network;
    const int lanes = network.LanesBeside(traffic.Player().lane);
    const auto speeds = static_cast<int>(traffic.target_speeds.size());
    const int times = Times();
    std::vector<double> grid(static_cast<std::size_t>(speeds * lanes * times));
    const auto at = [&](int speed, int lane, int time) -> double& {
      return grid[static_cast<std::size_t>((speed * lanes + lane) * times + time)];
    };
    for (const Vehicle& other : traffic.vehicles) {
      if (&other == &self || !network.Leads(self.lane, other.lane, self.route, 3)) continue;
      const double distance = traffic.LaneDistance(self, other);
      const double projected = other.speed * Dot(other.direction, self.direction);
      const double margin = other.length / 2 + self.length / 2;
      // On another road it may be on any lane.
      const bool is_sure = network.LanesBeside(other.lane) == network.LanesBeside(self.lane);
      const int first = is_sure ? network[other.lane].id : 0;
      const int last = is_sure ? std::min(first, lanes - 1) : lanes - 1;
      for (int speed = 0; speed < speeds; ++speed) {
        const double own = traffic.target_speeds[static_cast<std::size_t>(speed)];
        if (own == other.speed) continue;
        const std::pair<double, double> points[] = {{0.0, 1.0}, {-margin, 0.5}, {margin, 0.5}};
        for (const auto& [shift, cost] : points) {
          const double seconds = (distance + shift) / NotZero(own - projected);
          if (!(seconds >= 0)) continue;
          const double steps = seconds / seconds_per_step_;
          for (const double time : {std::trunc(steps), std::ceil(steps)}) {
            if (!(time < times)) continue;
            for (int lane = first; lane <= last; ++lane) {
              double& cell = at(speed, lane, static_cast<int>(time));
              cell = std::max(cell, cost);
            }
          }
        }
      }
    }
    // Three speeds and three lanes around the own ones; beyond the last lanes there are collisions.
    for (int i = -1; i <= 1; ++i) {
      const int speed = std::clamp(self.speed_index + i, 0, speeds - 1);
      for (int j = -1; j <= 1; ++j) {
        const int lane = network[self.lane].id + j;
        for (int time = 0; time < times; ++time) {
          const bool is_there = lane >= 0 && lane < lanes;
          to.push_back(is_there ? static_cast<float>(at(speed, lane, time)) : 1.0F);
        }
      }
    }
  }

  const int horizon_;
  const double seconds_per_step_;
};

}  // namespace

std::unique_ptr<Observation> MakeTimeToCollision(const Options& options) {
  return std::make_unique<TimeToCollision>(options);
}

}  // namespace envpool::highway
