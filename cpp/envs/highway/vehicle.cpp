#include "highway/vehicle.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace envpool::highway {

namespace {

struct Shadow {
  double low = 0.0;
  double high = 0.0;
};

// The part of an axis that a polygon covers.
Shadow Project(const Polygon& polygon, Point axis) {
  Shadow shadow = {Dot(polygon.corners[0], axis), 0.0};
  shadow.high = shadow.low;
  for (int i = 1; i < 4; ++i) {
    const double at = Dot(polygon.corners[i], axis);
    shadow.low = Min(shadow.low, at);
    shadow.high = Max(shadow.high, at);
  }
  return shadow;
}

double Distance(Shadow a, Shadow b) { return a.low < b.low ? b.low - a.high : a.low - b.high; }

Point CenterOf(const Polygon& polygon) {
  const Point(&corners)[5] = polygon.corners;
  return (((corners[0] + corners[1]) + corners[2]) + corners[3]) / 4.0;
}

// True if a corner of one rectangle, the middle of one of its sides or its center is in another.
bool HasPointInside(const Rectangle& a, const Rectangle& b) {
  const double half = a.length / 2;
  const double side = a.width / 2;
  const std::array<Point, 9> points = {{{-half, -side},
                                        {-half, side},
                                        {half, side},
                                        {half, -side},
                                        {0.0, 0.0},
                                        {-half, 0.0},
                                        {half, 0.0},
                                        {0.0, -side},
                                        {0.0, side}}};
  const Rotation forward(DirectionOf(a.angle));
  const Rotation other(DirectionOf(b.angle));
  for (const Point& point : points) {
    const Point at = forward.Of(point, kernels.gemm) + a.center;
    const Point inside = other.Of(at - b.center, kernels.gemv);
    if (-b.length / 2 <= inside.x && inside.x <= b.length / 2 && -b.width / 2 <= inside.y &&
        inside.y <= b.width / 2) {
      return true;
    }
  }
  return false;
}

}  // namespace

void Vehicle::SetSize(double new_length, double new_width) {
  length = new_length;
  width = new_width;
  diagonal = std::sqrt(length * length + width * width);
}

void Vehicle::Serialize(Archive& archive) {
  archive.Range(kind, Kind::kVehicle, Kind::kLandmark);
  archive(position.x, position.y, heading, speed, length, width, diagonal, checks_collisions,
          is_player, is_crashed, is_hit, acceleration, steering, has_impact, impact.x, impact.y,
          lateral_speed, yaw_rate, target_speed, has_route, changes_lanes, timer, exponent, yields,
          acceleration_weights, steering_weights, direction.x, direction.y);
}

Polygon PolygonOf(const Vehicle& vehicle) {
  const double half = vehicle.length / 2;
  const double side = vehicle.width / 2;
  const Point corners[] = {{-half, -side}, {-half, side}, {half, side}, {half, -side}};
  const Rotation rotation(vehicle.direction);
  Polygon polygon;
  for (int i = 0; i < 4; ++i) {
    polygon.corners[i] = rotation.Of(corners[i], kernels.gemm) + vehicle.position;
  }
  polygon.corners[4] = polygon.corners[0];
  return polygon;
}

Collision Collide(const Polygon& a, const Polygon& b, Point displacement_a, Point displacement_b) {
  Collision result = {.is = true, .will_be = true, .translation = {}};
  double least = std::numeric_limits<double>::infinity();
  Point axis;
  for (const Polygon* polygon : {&a, &b}) {
    for (int i = 0; i < 4; ++i) {
      const Point side = polygon->corners[i + 1] - polygon->corners[i];
      Point normal = {-polygon->corners[i + 1].y + polygon->corners[i].y, side.x};
      normal = normal / Norm(normal);
      Shadow shadow_a = Project(a, normal);
      const Shadow shadow_b = Project(b, normal);
      if (Distance(shadow_a, shadow_b) > 0) result.is = false;
      const double shift = Dot(normal, displacement_a - displacement_b);
      (shift < 0 ? shadow_a.low : shadow_a.high) += shift;
      const double distance = Distance(shadow_a, shadow_b);
      if (distance > 0) result.will_be = false;
      if (!result.is && !result.will_be) return result;
      if (std::abs(distance) < least) {
        least = std::abs(distance);
        axis = Dot(CenterOf(a) - CenterOf(b), normal) > 0 ? normal : -normal;
      }
    }
  }
  if (result.will_be) result.translation = least * axis;
  return result;
}

bool Intersect(const Rectangle& a, const Rectangle& b) {
  return HasPointInside(a, b) || HasPointInside(b, a);
}

}  // namespace envpool::highway
