// TimeToCollision: when there would be collisions, for speeds and lanes around the own ones.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

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
  static constexpr int kAround = 3;  // speeds and lanes, with the own ones in the middle

  std::vector<int> Shape() const override { return {kAround, kAround, Times()}; }
  int Times() const { return static_cast<int>(horizon_ / seconds_per_step_); }

  void Append(const Traffic& traffic, int player, Random& /*random*/,
              std::vector<float>& to) const override {
    const Vehicle& self = traffic.Player(player);
    const Network& network = traffic.network;
    const int lanes = network.LanesBeside(traffic.Player().lane);
    const int own_lane = network[self.lane].id;
    const auto times = static_cast<std::size_t>(Times());
    const std::size_t start = to.size();
    to.resize(start + kAround * kAround * times, 0.0F);
    const auto cells = [&](int speed, int lane) {
      const auto place = static_cast<std::size_t>(speed * kAround + lane - own_lane + 1);
      return std::span(to).subspan(start + place * times, times);
    };
    for (const Vehicle& other : traffic.vehicles) {
      if (&other == &self || !network.Leads(self.lane, other.lane, self.route, 3)) continue;
      // On another road it may be on any lane.
      const bool is_sure = network.LanesBeside(other.lane) == network.LanesBeside(self.lane);
      const int first = is_sure ? network[other.lane].id : 0;
      const int last = std::min(is_sure ? first : lanes - 1, lanes - 1);
      for (int speed = 0; speed < kAround; ++speed) {
        ForEachCollision(other, self, speed, traffic, [&](std::size_t time, float cost) {
          for (int lane = std::max(first, own_lane - 1); lane <= std::min(last, own_lane + 1);
               ++lane) {
            float& cell = cells(speed, lane)[time];
            cell = std::max(cell, cost);
          }
        });
      }
    }
    // Beyond the last lanes there are collisions.
    for (int lane = own_lane - 1; lane <= own_lane + 1; ++lane) {
      if (lane >= 0 && lane < lanes) continue;
      for (int speed = 0; speed < kAround; ++speed) std::ranges::fill(cells(speed, lane), 1.0F);
    }
  }

  // Calls note(time, cost) for when there would be collisions with another vehicle at a speed.
  template <class Note>
  void ForEachCollision(const Vehicle& other, const Vehicle& self, int speed,
                        const Traffic& traffic, const Note& note) const {
    const int fastest = static_cast<int>(traffic.target_speeds.size()) - 1;
    const int index = std::clamp(self.speed_index + speed - 1, 0, fastest);
    const double own = traffic.target_speeds[static_cast<std::size_t>(index)];
    if (own == other.speed) return;
    const double distance = traffic.LaneDistance(self, other);
    const double projected = other.speed * Dot(other.direction, self.direction);
    const double margin = other.length / 2 + self.length / 2;
    const std::pair<double, float> points[] = {{0.0, 1.0F}, {-margin, 0.5F}, {margin, 0.5F}};
    for (const auto& [shift, cost] : points) {
      const double seconds = (distance + shift) / NotZero(own - projected);
      if (!(seconds >= 0)) continue;
      const double steps = seconds / seconds_per_step_;
      for (const double time : {std::trunc(steps), std::ceil(steps)}) {
        if (time < Times()) note(static_cast<std::size_t>(time), cost);
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
