// The iterations over the velocity constraints of several islands of bodies, side by side.
//
// In Box2D's own loop, each operation waits for the one before, so that a processor does a fraction
// of what it could. Islands know nothing of each other: a lane for each, and the processor does as
// much for eight islands as for one, with the same operations in the same order.
#pragma once

#include <Box2D/Box2D.h>
#include <Box2D/Dynamics/Contacts/b2ContactSolver.h>
#include <Box2D/Dynamics/b2Island.h>

#include <span>

#include "box2d/lanes.h"

namespace envpool::box2d {

// An Island is what Box2D gives to its velocity solver.
struct Island {
  std::span<b2Joint* const> joints;
  b2ContactSolver* contacts = nullptr;
  const b2SolverData* data = nullptr;
};

// Box2D's own loop.
void IterateOne(const Island& island);

// The same for each of up to kLanes islands.
void Iterate(std::span<const Island> islands);

}  // namespace envpool::box2d
