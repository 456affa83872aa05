// Merge: let vehicles on the access ramp of a highway in. MergeGeneric: on a road of any size.
// Follows highway_env/envs/merge_env.py.
#include <algorithm>
#include <cmath>
#include <vector>

#include "envpool/family.h"
#include "highway/driving_env.h"

namespace envpool::highway::merge {
namespace {

constexpr double kAmplitude = 3.25;  // of the ramp, m
constexpr Lines kRamp = {Line::kContinuousLine, Line::kContinuousLine};

class AnyMerge : public DrivingEnv {
 public:
  using DrivingEnv::DrivingEnv;

 protected:
  // Makes the ramp's lanes; `y` is where it joins the highway, m.
  void AddRamp(double y, double before, double converging, double parallel, double speed_limit,
               Line left) {
    const auto add = [this, speed_limit](const char* from, const char* to, Lane lane) {
      lane.is_forbidden = true;
      lane.speed_limit = speed_limit;
      traffic_.network.Add(from, to, lane);
    };
    const double end = before + converging;
    const double approach = y + 2 * kAmplitude;
    add("j", "k", Lane::Straight({0, approach}, {before, approach}).With(kRamp));
    const double middle = y + kAmplitude;
    const double pulsation = 2 * kPi / (2 * converging);
    add("k", "b",
        Lane::Sine({before, middle}, {end, middle}, kAmplitude, pulsation, kPi / 2).With(kRamp));
    const Lane last = Lane::Straight({end, y}, {end + parallel, y});
    add("b", "c", last.With({left, Line::kContinuousLine}));
    ramp_end_ = last.Position(parallel, 0.0);
  }

  double end_ = 370.0;  // of the episode, m
  Point ramp_end_;      // where an obstacle is

 private:
  // Upstream's sum of the slowness of vehicles that merge.
  double Slowness() {
    PythonSum sum;
    bool is_numpys = false;
    for (const Vehicle& vehicle : traffic_.vehicles) {
      const Lane& lane = traffic_.network[vehicle.lane];
      if (lane.id != 2 || lane.road != merging_road_ || !IsControlled(vehicle.kind)) continue;
      const double slowness = (vehicle.target_speed - vehicle.speed) / vehicle.target_speed;
      is_numpys = is_numpys || vehicle.kind == Kind::kMeta;
      if (is_numpys) sum.AddNumpys(slowness);
      if (!is_numpys) sum.Add(slowness);
    }
    sums_are_numpys_ = is_numpys;
    return sum.Total();
  }

  StepResult Judge() final {
    const Vehicle& self = Self();
    merging_road_ = traffic_.network[traffic_.network.Find("b", "c", 0)].road;
    terms_ = {double(self.is_crashed), traffic_.network[self.lane].id / 1.0,
              Map(self.speed, Range("reward_speed_range"), {0.0, 1.0}), double(WasLaneChange()),
              Slowness()};
    PythonSum sum;
    // An integer and the first float.
    sum.AddNumpys(Number("collision_reward") * terms_[0]);
    sum.AddNumpys(Number("right_lane_reward") * terms_[1]);
    sum.Add(Number("high_speed_reward") * terms_[2]);
    sum.Add(Number("lane_change_reward") * terms_[3]);
    const double last = Number("merging_speed_reward") * terms_[4];
    if (sums_are_numpys_) sum.AddNumpys(last);
    if (!sums_are_numpys_) sum.Add(last);
    const Interval usual = {Number("collision_reward") + Number("merging_speed_reward"),
                            Number("high_speed_reward") + Number("right_lane_reward")};
    return {.reward = Map(sum.Total(), usual, {0.0, 1.0}),
            .terminated = self.is_crashed || self.position.x > end_};
  }

  int merging_road_ = 0;
  bool sums_are_numpys_ = false;
};

class Merge final : public AnyMerge {
 public:
  Merge(const Options& options, const Scenario& scenario) : AnyMerge(options, scenario) {
    constexpr double kEnds[] = {0, 230, 310, 460};
    constexpr const char* kNodes[] = {"a", "b", "c", "d"};
    for (int id = 0; id < 2; ++id) {
      const double y = id * kLaneWidth;
      for (int part = 0; part < 3; ++part) {
        const Lane lane = Lane::Straight({kEnds[part], y}, {kEnds[part + 1], y});
        const Line outer = part == 1 ? Line::kStriped : Line::kContinuousLine;
        const Lines lines =
            id == 0 ? Lines{Line::kContinuousLine, Line::kStriped} : Lines{Line::kNone, outer};
        traffic_.network.Add(kNodes[part], kNodes[part + 1], lane.With(lines));
      }
    }
    AddRamp(2 * kLaneWidth, 150, 80, 80, 20.0, Line::kNone);
    traffic_.network.Finish();
  }

 private:
  void Populate() override {
    const Network& network = traffic_.network;
    traffic_.AddObstacle(ramp_end_);
    Add(MakePlayer(network[network.Find("a", "b", 1)].Position(30, 0), 0, 30));
    const Point starts[] = {{90, 29}, {70, 31}, {5, 31.5}};  // places and speeds
    for (const Point& start : starts) {
      const auto id = static_cast<int>(random_->Integers(2));
      const Lane& lane = network[network.Find("a", "b", id)];
      const Point position = lane.Position(start.x + random_->Uniform(-5, 5), 0);
      const double speed = start.y + random_->Uniform(-1, 1);
      Add(traffic_.Make(Kind::kDriver, position, 0, speed));
    }
    const Point position = network[network.Find("j", "k", 0)].Position(110, 0);
    Add(traffic_.Make(Kind::kDriver, position, 0, 20)).target_speed = 30;
  }
};

class MergeGeneric final : public AnyMerge {
 public:
  MergeGeneric(const Options& options, const Scenario& scenario)
      : AnyMerge(options, scenario),
        lanes_(Whole("lanes_count")),
        before_(Number("before_merge_length")),
        merged_(before_ + Number("converge_merge_length")),
        parallel_(Number("parallel_merge_length")) {
    const double after = Number("after_merge_length");
    Network& network = traffic_.network;
    network.AddHighway("a", "b", lanes_, 0, merged_, 30);
    network.AddHighway("b", "c", lanes_, merged_, parallel_, 30);
    network.AddHighway("c", "d", lanes_, merged_ + parallel_, after, 30);
    AddRamp(lanes_ * kLaneWidth, before_, Number("converge_merge_length"), parallel_, 30.0,
            Line::kStriped);
    network.Finish();
    end_ = merged_ + parallel_ + after - 90;
  }

 private:
  void Populate() override {
    constexpr double kStart = 30;
    constexpr double kSafe = 15;
    constexpr int kTries = 10;
    traffic_.AddObstacle(ramp_end_);
    const Network& network = traffic_.network;
    Add(MakePlayer(network[lanes_ - 1].Position(kStart, 0), 0, 30));
    std::vector<std::vector<double>> taken(static_cast<std::size_t>(lanes_));
    taken.back().push_back(kStart);
    for (int i = 0; i < Whole("vehicles_count"); ++i) {
      for (int attempt = 0; attempt < kTries; ++attempt) {
        const auto id = static_cast<int>(random_->Integers(lanes_));
        const double x = random_->Uniform(0, merged_ + parallel_);
        std::vector<double>& others = taken[static_cast<std::size_t>(id)];
        const auto is_far = [x](double other) { return std::abs(x - other) > kSafe; };
        if (!std::ranges::all_of(others, is_far)) continue;
        const double speed = 30 + random_->Uniform(-2, 2);
        Add(traffic_.Make(Kind::kDriver, network[id].Position(x, 0), 0, speed));
        others.push_back(x);
        break;
      }
    }
    const Lane& ramp = network[network.Find("j", "k", 0)];
    Add(traffic_.Make(Kind::kDriver, ramp.Position(kStart + 30, 0), 0, 20)).target_speed = 30;
  }

  const int lanes_;
  const double before_;
  const double merged_;  // where the ramp reaches the highway, m
  const double parallel_;
};

const DrivingDefaults kDefaults = {.action = {.types = {"DiscreteMetaAction", "DiscreteAction"}}};

const Scenario kScenario = {.terms = {{"collision_reward", DType::kBool},
                                      {"right_lane_reward"},
                                      {"high_speed_reward"},
                                      {"lane_change_reward", DType::kBool},
                                      {"merging_speed_reward"}}};

std::vector<OptionSpec> OptionsWith(std::vector<OptionSpec> own = {}) {
  own.insert(own.end(), {Reward("collision_reward", -1, "of a step with a collision"),
                         Reward("right_lane_reward", 0.1, "of driving on the right lane"),
                         Reward("high_speed_reward", 0.2, "of driving at full speed"),
                         Reward("merging_speed_reward", -0.5, "of the slowness of who merges"),
                         Reward("lane_change_reward", -0.05, "of changing the lane"),
                         RewardSpeedRange({20, 30})});
  return own;
}

[[maybe_unused]] const bool registered =
    Register(Driving<Merge>("Merge", OptionsWith(), kDefaults, kScenario));
[[maybe_unused]] const bool registered_generic = Register(Driving<MergeGeneric>(
    "MergeGeneric",
    OptionsWith({Count("lanes_count", 2, "how many lanes the highway has", 1, 100),
                 Count("vehicles_count", 3, "how many other vehicles are on the highway"),
                 {"before_merge_length", 150.0, "of the road before the ramp, m", {1, 1e5}},
                 {"converge_merge_length", 80.0, "of where the ramp comes closer, m", {1, 1e5}},
                 {"parallel_merge_length", 80.0, "of where vehicles merge, m", {1, 1e5}},
                 {"after_merge_length", 150.0, "of the road behind the ramp, m", {90, 1e5}}}),
    kDefaults, kScenario));

}  // namespace
}  // namespace envpool::highway::merge
