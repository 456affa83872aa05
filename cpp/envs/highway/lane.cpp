#include "highway/lane.h"

#include <cmath>
#include <limits>

namespace envpool::highway {

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

// How far a place is beyond the ends of a lane.
double Beyond(double longitudinal, double length) {
  return Max(longitudinal - length, 0.0) + Max(0.0 - longitudinal, 0.0);
}

}  // namespace

Lane Lane::Straight(Point start, Point end) {
  Lane lane;
  lane.start = start;
  lane.end = end;
  const Point delta = end - start;
  lane.heading = numerics::Arctan2(delta.y, delta.x);
  lane.length = Norm(delta);
  lane.direction_ = delta / lane.length;
  lane.side_ = {-lane.direction_.y, lane.direction_.x};
  lane.is_along_x_ = lane.direction_.x == 1.0 && lane.direction_.y == 0.0;
  return lane;
}

Lane Lane::Sine(Point start, Point end, double amplitude, double pulsation, double phase) {
  Lane lane = Straight(start, end);
  lane.shape = Shape::kSine;
  lane.amplitude = amplitude;
  lane.pulsation = pulsation;
  lane.phase = phase;
  return lane;
}

Lane Lane::Circular(Point center, double radius, double start_phase, double end_phase,
                    bool clockwise) {
  Lane lane;
  lane.shape = Shape::kCircular;
  lane.start = center;
  lane.radius = radius;
  lane.start_phase = start_phase;
  lane.end_phase = end_phase;
  lane.turn = clockwise ? 1.0 : -1.0;
  lane.length = radius * (end_phase - start_phase) * lane.turn;
  return lane;
}

Point Lane::Position(double longitudinal, double lateral) const {
  if (shape == Shape::kCircular) {
    const double angle = turn * longitudinal / radius + start_phase;
    return start + (radius - lateral * turn) * DirectionOf(angle);
  }
  if (shape == Shape::kSine) lateral += amplitude * Sin(pulsation * longitudinal + phase);
  return (start + longitudinal * direction_) + lateral * side_;
}

double Lane::HeadingAt(double longitudinal) const {
  switch (shape) {
    case Shape::kCircular: return (turn * longitudinal / radius + start_phase) + kPi / 2 * turn;
    case Shape::kSine:
      return heading + Arctan(amplitude * pulsation * Cos(pulsation * longitudinal + phase));
    default: return heading;
  }
}

OnLane Lane::Local(Point position) const {
  if (shape == Shape::kCircular) {
    const Point delta = position - start;
    const double angle = start_phase + WrapToPi(numerics::Arctan2(delta.y, delta.x) - start_phase);
    return {turn * (angle - start_phase) * radius, turn * (radius - Norm(delta))};
  }
  OnLane at = AlongStraight(position);
  if (shape == Shape::kSine) at.lateral -= amplitude * Sin(pulsation * at.longitudinal + phase);
  return at;
}

bool Lane::IsReachableFrom(Point position) const {
  if (is_forbidden) return false;
  const OnLane at = Local(position);
  return std::abs(at.lateral) <= 2 * width && 0.0 <= at.longitudinal &&
         at.longitudinal < length + kVehicleLength;
}

bool Lane::IsAfterEnd(Point position) const {
  return Local(position).longitudinal > length - kVehicleLength / 2;
}

double Lane::Distance(Point position) const {
  const OnLane at = Local(position);
  return std::abs(at.lateral) + Beyond(at.longitudinal, length);
}

double Lane::Distance(Point position, double vehicle_heading, double most) const {
  // The distance to an arc is at least that to its circle, the angle is never negative, and sums
  // are rounded without changing which is larger: so what is too much already stays so.
  if (shape == Shape::kCircular && std::abs(radius - Norm(position - start)) > most) {
    return kFar;
  }
  const OnLane at = Local(position);
  const double distance = std::abs(at.lateral) + Beyond(at.longitudinal, length);
  if (distance > most) return kFar;
  return distance + 1.0 * std::abs(WrapToPi(vehicle_heading - HeadingAt(at.longitudinal)));
}

}  // namespace envpool::highway
