// RaceCar: CarRacing's car, a hull on four wheels that grip the road or slip on the grass.
//
// Follows gymnasium/envs/box2d/car_dynamics.py operation by operation.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "box2d/car_racing_picture.h"
#include "box2d/world.h"

namespace envpool::box2d {

// A SkidTrail is what a slipping wheel leaves behind.
struct SkidTrail {
  std::vector<Position> points;
  bool is_on_grass = false;
};

struct Wheel {
  b2Body* body = nullptr;
  b2RevoluteJoint* joint = nullptr;
  double gas = 0.0;
  double brake = 0.0;
  double steer = 0.0;
  double phase = 0.0;  // angle
  double omega = 0.0;  // angular velocity
  int tiles = 0;       // how many tiles of the road it is on
  bool begins_to_slip = false;
  std::shared_ptr<SkidTrail> trail;  // the one that it goes on with
};

class RaceCar {
 public:
  // The wheels' bodies have their Wheel as user data.
  void Build(World& world, double angle, double x, double y);
  void Destroy(World& world);

  void Steer(double angle);  // radians, to the left
  void Accelerate(double gas);
  void Brake(double brake);

  // Applies the forces of a frame.
  void Drive();

  const b2Body& Hull() const { return *hull_; }
  const std::array<Wheel, 4>& Wheels() const { return wheels_; }
  const std::deque<std::shared_ptr<SkidTrail>>& Trails() const { return trails_; }

 private:
  void AddWheel(World& world, std::size_t index, double angle, double x, double y);
  void Drive(Wheel& wheel);
  static void Turn(Wheel& wheel);
  void LeaveTrail(Wheel& wheel, bool slips);

  b2Body* hull_ = nullptr;
  std::array<Wheel, 4> wheels_;                    // front left, front right, rear left, rear right
  std::deque<std::shared_ptr<SkidTrail>> trails_;  // oldest first
};

}  // namespace envpool::box2d
