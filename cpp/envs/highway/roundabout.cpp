// Roundabout: cross a roundabout with traffic. RoundaboutGeneric: of any size. Follows
// highway_env/envs/roundabout_env.py.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "envpool/family.h"
#include "highway/driving_env.h"

namespace envpool::highway::roundabout {
namespace {

constexpr double kAlpha = 24;  // half of the angle between an entry and an exit, degrees
constexpr Lines kBoth = {Line::kContinuous, Line::kContinuous};
constexpr Lines kEntry = {Line::kStriped, Line::kContinuous};
constexpr Lines kExit = {Line::kNone, Line::kContinuous};

class AnyRoundabout : public DrivingEnv {
 public:
  using DrivingEnv::DrivingEnv;

 protected:
  // Adds the circles, from the inner one on.
  void AddCircles(double radius, int lanes) {
    static constexpr const char* kNodes[] = {"se", "ex", "ee", "nx", "ne", "wx", "we", "sx", "se"};
    static constexpr double kAngles[][2] = {
        {90 - kAlpha, kAlpha},         {kAlpha, -kAlpha},
        {-kAlpha, -90 + kAlpha},       {-90 + kAlpha, -90 - kAlpha},
        {-90 - kAlpha, -180 + kAlpha}, {-180 + kAlpha, -180 - kAlpha},
        {180 - kAlpha, 90 + kAlpha},   {90 + kAlpha, 90 - kAlpha}};
    for (int id = 0; id < lanes; ++id) {
      const Lines lines = {id == 0 ? Line::kContinuous : Line::kNone,
                           id == lanes - 1 ? Line::kContinuous : Line::kStriped};
      for (int part = 0; part < 8; ++part) {
        const auto& [start, end] = kAngles[part];
        traffic_.network.Add(
            kNodes[part], kNodes[part + 1],
            Lane::Circular({0, 0}, radius + 4 * id, Radians(start), Radians(end), false)
                .With(lines));
      }
    }
  }

  void Straight(const char* from, const char* to, Point start, Point end, Lines lines) {
    traffic_.network.Add(from, to, Lane::Straight(start, end).With(lines));
  }
  void Sine(const char* from, const char* to, Point start, Point end, double amplitude,
            double pulsation, double phase) {
    traffic_.network.Add(from, to, Lane::Sine(start, end, amplitude, pulsation, phase).With(kBoth));
  }

  // Adds the own vehicle, which is to cross.
  void AddSelf(double longitudinal, double heading_at) {
    const Lane& lane = traffic_.network[traffic_.network.Find("ser", "ses", 0)];
    Vehicle& self = Add(MakePlayer(lane.Position(longitudinal, 0), lane.HeadingAt(heading_at), 8));
    if (IsControlled(self.kind)) traffic_.PlanRoute(self, "nxs");
  }

  // Returns the option for where the others go, or -1 if it is drawn.
  int Destination() const {
    return options_.Has("incoming_vehicle_destination")
               ? static_cast<int>(Number("incoming_vehicle_destination"))
               : -1;
  }

 private:
  StepResult Judge() final {
    const Vehicle& self = Self();
    const int index = self.kind == Kind::kMeta ? self.speed_index : UsualSpeedIndex(self.speed);
    terms_ = {double(self.is_crashed), index / 2.0, double(WasLaneChange()),
              double(traffic_.IsOnRoad(self))};
    double reward = WeightedSum();
    if (options_.Flag("normalize_reward")) {
      const Interval usual = {Number("collision_reward"), Number("high_speed_reward")};
      reward = Map(reward, usual, {0.0, 1.0});
    }
    return {.reward = reward * terms_[3], .terminated = self.is_crashed, .truncated = IsTimeOver()};
  }

  // Returns which of 20, 25 and 30 m/s a speed is near.
  static int UsualSpeedIndex(double speed) {
    const double x = (speed - 20) / 10;
    return static_cast<int>(numpy::Clip(std::nearbyint(x * 2), 0, 2));
  }
};

class Roundabout final : public AnyRoundabout {
 public:
  Roundabout(const Options& options, const Scenario& scenario) : AnyRoundabout(options, scenario) {
    AddCircles(20, 2);
    constexpr double kAccess = 170;
    constexpr double kDev = 85;
    constexpr double a = 5;
    constexpr double kStart = 0.2 * kDev;
    constexpr double kEnd = kDev - kStart;
    constexpr double kHalf = kDev / 2;
    constexpr double w = 2 * kPi / kDev;
    constexpr double kIn = -kPi / 2;
    constexpr double kOut = -kPi / 2 + w * kEnd;
    Straight("ser", "ses", {2, kAccess}, {2, kHalf}, kEntry);
    Sine("ses", "se", {2 + a, kHalf}, {2 + a, kHalf - kStart}, a, w, kIn);
    Sine("sx", "sxs", {-2 - a, -kHalf + kEnd}, {-2 - a, kHalf}, a, w, kOut);
    Straight("sxs", "sxr", {-2, kHalf}, {-2, kAccess}, kExit);
    Straight("eer", "ees", {kAccess, -2}, {kHalf, -2}, kEntry);
    Sine("ees", "ee", {kHalf, -2 - a}, {kHalf - kStart, -2 - a}, a, w, kIn);
    Sine("ex", "exs", {-kHalf + kEnd, 2 + a}, {kHalf, 2 + a}, a, w, kOut);
    Straight("exs", "exr", {kHalf, 2}, {kAccess, 2}, kExit);
    Straight("ner", "nes", {-2, -kAccess}, {-2, -kHalf}, kEntry);
    Sine("nes", "ne", {-2 - a, -kHalf}, {-2 - a, -kHalf + kStart}, a, w, kIn);
    Sine("nx", "nxs", {2 + a, kHalf - kEnd}, {2 + a, -kHalf}, a, w, kOut);
    Straight("nxs", "nxr", {2, -kHalf}, {2, -kAccess}, kExit);
    Straight("wer", "wes", {-kAccess, 2}, {-kHalf, 2}, kEntry);
    Sine("wes", "we", {-kHalf, 2 + a}, {-kHalf + kStart, 2 + a}, a, w, kIn);
    Sine("wx", "wxs", {kHalf - kEnd, -2 - a}, {-kHalf, -2 - a}, a, w, kOut);
    Straight("wxs", "wxr", {-kHalf, -2}, {-kAccess, -2}, kExit);
    traffic_.network.Finish();
  }

 private:
  void Populate() override {
    const Network& network = traffic_.network;
    AddSelf(125, 140);
    AddOther(network.Find("we", "sx", 1), 5, Destination());
    AddOther(network.Find("we", "sx", 0), 20, -1);
    AddOther(network.Find("we", "sx", 0), -20, -1);
    AddOther(network.Find("eer", "ees", 0), 50, -1);
  }

  void AddOther(LaneIndex lane, double longitudinal, int destination) {
    static constexpr const char* kDestinations[] = {"exr", "sxr", "nxr"};
    longitudinal += random_->Normal() * 2.0;
    Vehicle& other = AddDriver(lane, longitudinal, 16 + random_->Normal() * 2.0);
    if (destination < 0) destination = static_cast<int>(random_->Choice(3));
    traffic_.PlanRoute(other, kDestinations[destination]);
    traffic_.Randomize(other, *random_);
  }
};

class RoundaboutGeneric final : public AnyRoundabout {
 public:
  RoundaboutGeneric(const Options& options, const Scenario& scenario)
      : AnyRoundabout(options, scenario) {
    const int lanes = Whole("roundabout_lanes");
    const double radius = Number("roundabout_radius");
    AddCircles(radius, lanes);
    const double outer = radius + 4 * (lanes - 1);
    const auto at = [outer](double degrees) { return outer * DirectionOf(Radians(degrees)); };
    const Point se = at(90 - kAlpha);
    const Point ex = at(kAlpha);
    const Point ee = at(-kAlpha);
    const Point nx = at(-90 + kAlpha);
    const Point ne = at(-90 - kAlpha);
    const Point wx = at(-180 + kAlpha);
    const Point we = at(180 - kAlpha);
    const Point sx = at(90 + kAlpha);
    const double dev = std::max(100.0, 2 * outer + 40.0);
    const double access = dev + 40.0;
    const double half = dev / 2;
    double a = (se.x - 2) / 2;
    Straight("ser", "ses", {2, access}, {2, half}, kEntry);
    Swing("ses", "se", {2 + a, half}, {2 + a, se.y}, a, half - se.y);
    a = (sx.x + 2) / 2;
    Swing("sx", "sxs", {sx.x - a, sx.y}, {sx.x - a, half}, a, half - sx.y);
    Straight("sxs", "sxr", {-2, half}, {-2, access}, kExit);
    a = (-2 - ee.y) / 2;
    Straight("eer", "ees", {access, -2}, {half, -2}, kEntry);
    Swing("ees", "ee", {half, -2 - a}, {ee.x, -2 - a}, a, half - ee.x);
    a = (2 - ex.y) / 2;
    Swing("ex", "exs", {ex.x, ex.y + a}, {half, ex.y + a}, a, half - ex.x);
    Straight("exs", "exr", {half, 2}, {access, 2}, kExit);
    a = (-2 - ne.x) / 2;
    Straight("ner", "nes", {-2, -access}, {-2, -half}, kEntry);
    Swing("nes", "ne", {-2 - a, -half}, {-2 - a, ne.y}, a, ne.y - -half);
    a = (2 - nx.x) / 2;
    Swing("nx", "nxs", {nx.x + a, nx.y}, {nx.x + a, -half}, a, nx.y - -half);
    Straight("nxs", "nxr", {2, -half}, {2, -access}, kExit);
    a = (we.y - 2) / 2;
    Straight("wer", "wes", {-access, 2}, {-half, 2}, kEntry);
    Swing("wes", "we", {-half, 2 + a}, {we.x, 2 + a}, a, we.x - -half);
    a = (wx.y + 2) / 2;
    Swing("wx", "wxs", {wx.x, wx.y - a}, {-half, wx.y - a}, a, wx.x - -half);
    Straight("wxs", "wxr", {-half, -2}, {-access, -2}, kExit);
    traffic_.network.Finish();
  }

 private:
  // Adds a lane that swings from one side to the other, over `length` m.
  void Swing(const char* from, const char* to, Point start, Point end, double amplitude,
             double length) {
    Sine(from, to, start, end, amplitude, kPi / length, -kPi / 2);
  }

  void Populate() override {
    static constexpr const char* kStarts[][2] = {{"we", "sx"},  {"sx", "se"},   {"ee", "nx"},
                                                 {"nx", "ne"},  {"eer", "ees"}, {"ner", "nes"},
                                                 {"wer", "wes"}};
    static constexpr const char* kDestinations[] = {"exr", "sxr", "nxr", "wxr"};
    constexpr double kSafe = 7;
    constexpr int kTries = 10;
    const Network& network = traffic_.network;
    const Lane& entry = network[network.Find("ser", "ses", 0)];
    AddSelf(entry.length - 2.5, entry.length - 2.5);
    std::vector<Point> taken = {entry.Position(entry.length - 2.5, 0)};
    for (int i = 0; i < Whole("vehicles_count"); ++i) {
      for (int attempt = 0; attempt < kTries; ++attempt) {
        const auto& [from, to] = kStarts[random_->Integers(7)];
        const LaneIndex first = network.Find(from, to, 0);
        const LaneIndex lane =
            first + static_cast<LaneIndex>(random_->Integers(network.LanesBeside(first)));
        const double most = std::max(5.0, network[lane].length - 5.0);
        const double longitudinal = random_->Uniform(5.0, most);
        const Point position = network[lane].Position(longitudinal, 0);
        const auto is_close = [&](Point other) { return Norm(position - other) < kSafe; };
        if (std::ranges::any_of(taken, is_close)) continue;
        Vehicle& other = AddDriver(lane, longitudinal, 14 + random_->Normal() * 2.0);
        const int wanted = Destination();
        const int destination =
            wanted >= 0 ? std::min(wanted, 3) : static_cast<int>(random_->Integers(4));
        traffic_.PlanRoute(other, kDestinations[destination]);
        traffic_.Randomize(other, *random_);
        taken.push_back(position);
        break;
      }
    }
  }
};

const DrivingDefaults kDefaults = {
    .observation = ObservationDefaults{.x_range = {-100, 100},
                                       .y_range = {-100, 100},
                                       .vx_range = {-15, 15},
                                       .vy_range = {-15, 15},
                                       .absolute = true},
    .action = {.types = {"DiscreteMetaAction", "DiscreteAction"}, .target_speeds = {0, 8, 16}},
    .screen_height = 600,
    .centering_position = {0.5, 0.6}};

void Check(const Options& options) {
  if (!options.Has("incoming_vehicle_destination")) return;
  const double number = options.Number("incoming_vehicle_destination");
  const int most = options.Has("roundabout_lanes") ? 3 : 2;
  Require(number == std::floor(number) && number >= 0 && number <= most,
          "incoming_vehicle_destination is " + Shortest(number) + ", expected an exit from 0 to " +
              std::to_string(most) + ", or None for any");
}

const Scenario kScenario = {.terms = {{"collision_reward", DType::kBool},
                                      {"high_speed_reward"},
                                      {"lane_change_reward", DType::kBool},
                                      {"on_road_reward", DType::kBool}},
                            .check = Check};

std::vector<OptionSpec> OptionsWith(std::vector<OptionSpec> own) {
  own.insert(own.end(),
             {{"incoming_vehicle_destination",
               {},
               "where vehicles on the circle go: 0 is east, 1 south, 2 north, 3 (generic) west"},
              Reward("collision_reward", -1, "of a step with a collision"),
              Reward("high_speed_reward", 0.2, "of driving at full speed"),
              Reward("right_lane_reward", 0, "of nothing: upstream does not use it"),
              Reward("lane_change_reward", -0.05, "of changing the lane"),
              {"normalize_reward", true, "map rewards to 0 and 1?"}});
  return own;
}

[[maybe_unused]] const bool registered =
    Register(Driving<Roundabout>("Roundabout", OptionsWith({Duration(11)}), kDefaults, kScenario));
[[maybe_unused]] const bool registered_generic = Register(Driving<RoundaboutGeneric>(
    "RoundaboutGeneric",
    OptionsWith({Duration(17),
                 {"roundabout_radius", 20.0, "of the innermost lane, m", {10, 1000}},
                 Count("roundabout_lanes", 2, "how many lanes the circle has", 1, 20),
                 Count("vehicles_count", 5, "how many other vehicles there are")}),
    kDefaults, kScenario));

}  // namespace
}  // namespace envpool::highway::roundabout
