// Lane: a straight, sinusoidal or circular lane, as in highway_env/road/lane.py.
#pragma once

#include "highway/numbers.h"

namespace envpool::highway {

inline constexpr double kLaneWidth = 4.0;      // m, unless it is another
inline constexpr double kVehicleLength = 5.0;  // m
inline constexpr double kVehicleWidth = 2.0;   // m

// Where something is on a lane: m along its center, and to the right of it.
struct OnLane {
  double longitudinal = 0.0;
  double lateral = 0.0;
};

// What is drawn at the sides of a lane; only pictures show it.
enum class Line { kNone, kStriped, kContinuous, kContinuousLine };
struct Lines {
  Line left = Line::kStriped;
  Line right = Line::kStriped;
};

class Lane {
 public:
  enum class Shape { kStraight, kSine, kCircular };

  static Lane Straight(Point start, Point end);
  // A straight lane that swings from side to side: amplitude m, pulsation rad/m, phase rad.
  static Lane Sine(Point start, Point end, double amplitude, double pulsation, double phase);
  // An arc; phases in rad.
  static Lane Circular(Point center, double radius, double start_phase, double end_phase,
                       bool clockwise = true);

  Lane With(Lines drawn) const {
    Lane copy = *this;
    copy.lines = drawn;
    return copy;
  }

  Point Position(double longitudinal, double lateral) const;
  double HeadingAt(double longitudinal) const;
  OnLane Local(Point position) const;

  // True if a place is on the lane or no more than `margin` m beside it.
  bool Contains(OnLane at, double margin = 0.0) const {
    return std::abs(at.lateral) <= width / 2 + margin && -kVehicleLength <= at.longitudinal &&
           at.longitudinal < length + kVehicleLength;
  }
  bool IsReachableFrom(Point position) const;
  bool IsAfterEnd(Point position) const;

  // The distance to a place, m.
  double Distance(Point position) const;
  // The distance to a place and heading, m + rad; any number above `most` if it is more than that.
  double Distance(Point position, double heading, double most) const;

  Shape shape = Shape::kStraight;
  Point start;  // of an arc: its center
  Point end;    // not of an arc
  double heading = 0.0;
  double length = 0.0;
  double width = kLaneWidth;
  bool is_forbidden = false;
  double speed_limit = 20.0;
  int priority = 0;
  Lines lines;
  double amplitude = 0.0;
  double pulsation = 0.0;
  double phase = 0.0;
  double radius = 0.0;
  double start_phase = 0.0;
  double end_phase = 0.0;
  double turn = 1.0;  // 1 if clockwise, else -1

  // Set by the network that the lane belongs to.
  int road = -1;
  int id = -1;  // its number on that road

 private:
  OnLane AlongStraight(Point position) const {
    const Point delta = position - start;
    // What the products below are for lanes along the x axis, which are the most.
    if (is_along_x_) return {delta.x, delta.y};
    return {Dot(delta, direction_), Dot(delta, side_)};
  }

  Point direction_ = {1.0, 0.0};
  Point side_ = {-0.0, 1.0};
  bool is_along_x_ = false;
};

}  // namespace envpool::highway
