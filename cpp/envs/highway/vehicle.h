// Vehicle: anything on a road, as in highway_env/vehicle/.
#pragma once

#include <array>

#include "envpool/archive.h"
#include "highway/network.h"

namespace envpool::highway {

enum class Kind {
  kVehicle,   // follows an action of acceleration and steering
  kBicycle,   // likewise, with tires that slip
  kMeta,      // follows meta-actions: upstream's MDPVehicle
  kDriver,    // drives by itself: upstream's IDMVehicle
  kObstacle,  // stands in the way
  kLandmark,  // marks a place, and nothing collides with it
};

inline bool IsVehicle(Kind kind) { return kind <= Kind::kDriver; }
// Upstream's ControlledVehicle: one that has a target, and perhaps a route.
inline bool IsControlled(Kind kind) { return kind == Kind::kMeta || kind == Kind::kDriver; }

struct Vehicle {
  // --- of all --------------------------------------------------------------------------------
  Kind kind = Kind::kVehicle;
  Point position;
  double heading = 0.0;
  double speed = 0.0;
  double length = kVehicleLength;
  double width = kVehicleWidth;
  LaneIndex lane = kNoLane;  // the closest one
  bool checks_collisions = true;
  bool is_player = false;  // upstream's controlled_vehicles
  bool is_crashed = false;
  bool is_hit = false;  // of a landmark: something is there

  // --- of vehicles ---------------------------------------------------------------------------
  double acceleration = 0.0;
  double steering = 0.0;
  Interval speeds = {-40.0, 40.0};  // beyond which it does not accelerate
  bool has_impact = false;
  Point impact;  // the shift by a collision, which comes with the next step

  // --- of those that slip --------------------------------------------------------------------
  double lateral_speed = 0.0;
  double yaw_rate = 0.0;

  // --- of those that have a target -----------------------------------------------------------
  LaneIndex target_lane = kNoLane;
  double target_speed = 0.0;
  bool has_route = false;
  Route route;
  int speed_index = 0;  // of kMeta: that of the target among all target speeds

  // --- of drivers ----------------------------------------------------------------------------
  bool changes_lanes = true;
  double timer = 0.0;  // since the last thought of changing the lane, s
  double exponent = 4.0;
  std::array<double, 3> acceleration_weights = {};  // of linear ones
  std::array<double, 2> steering_weights = {};
  bool yields = false;

  // The heading as a vector, which is needed far more often than it changes.
  Point direction = {1.0, 0.0};

  void TurnTo(double new_heading) {
    if (new_heading == heading && !(heading == 0.0)) return;
    heading = new_heading;
    direction = DirectionOf(heading);
  }
  Point Velocity() const { return speed * direction; }

  double diagonal = 0.0;
  void SetSize(double new_length, double new_width);
  void Serialize(Archive& archive);
};

// The edges of a vehicle, as a polygon whose last corner is its first.
struct Polygon {
  Point corners[5];
};
Polygon PolygonOf(const Vehicle& vehicle);

struct Collision {
  bool is = false;       // there is one now
  bool will_be = false;  // there is one after a time step
  Point translation;     // of the first polygon, which ends the collision to be
};

// Tells whether two polygons intersect, or will after they were displaced.
Collision Collide(const Polygon& a, const Polygon& b, Point displacement_a, Point displacement_b);

// A rectangle in the plane.
struct Rectangle {
  Point center;
  double length = 0.0;
  double width = 0.0;
  double angle = 0.0;
};
bool Intersect(const Rectangle& a, const Rectangle& b);

}  // namespace envpool::highway
