// JointLanes: a hinge in each lane, with its motor and its limits.
#pragma once

#include <Box2D/Box2D.h>

#include <cstddef>
#include <span>

#include "box2d/lanes.h"

namespace envpool::box2d {

struct Vectors3 {
  Floats x, y, z;

  Vectors Plane() const { return {x, y}; }
  void Set(std::size_t lane, const b2Vec3& value) {
    x.Set(lane, value.x);
    y.Set(lane, value.y);
    z.Set(lane, value.z);
  }
};

// A hinge that is at work: its motor and its limits are on, and these are apart.
bool IsAtWork(b2Joint& joint);

struct JointLanes {
  std::size_t a = 0;  // its bodies, by their places among the velocities
  std::size_t b = 0;
  Floats mass_a, mass_b, inertia_a, inertia_b;  // inverse ones
  Vectors arm_a, arm_b;
  Floats motor_speed, motor_mass, most_impulse;
  // The matrix, and what Box2D computes of it in each iteration.
  Vectors3 ex, ey, ez, ey_ez;
  Floats inverse_33, inverse_22;
  Mask is_limited, is_at_lower, is_at_upper;
  bool is_any_limited = false;
  bool is_any_free = false;

  Floats motor_impulse;
  Vectors3 impulse;

  // All but the bodies.
  void Read(std::size_t lane, const b2RevoluteJoint& joint, const b2SolverData& data);
  void Write(std::size_t lane, b2RevoluteJoint& joint) const;
  void Solve(std::span<Velocities> velocities);

  Vectors3 Solve33(const Vectors3& b) const;
  Vectors Solve22(const Vectors& b) const;
};

}  // namespace envpool::box2d
