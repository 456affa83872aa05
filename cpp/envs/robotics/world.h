// RobotWorld: a simulation, and what only robots' need of it.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <span>

#include "envpool/archive.h"
#include "mujoco/simulation.h"
#include "numerics/products.h"

namespace envpool::robotics {

using numerics::Difference;
using numerics::Distance;
using numerics::Vector;

class RobotWorld : public mujoco::Simulation {
 public:
  using Simulation::Simulation;

  // A row of an array of the model, which becomes the simulation's own.
  std::span<double> OwnRow(mjtNum* mjModel::* array, mjtSize rows, int row, std::size_t width);

  // Where the joint of a body that moves freely has its seven positions and its six velocities.
  // Throw std::runtime_error if there is no such joint.
  int FreePosition(const char* name) const { return Model().jnt_qposadr[FreeJoint(name)]; }
  int FreeVelocity(const char* name) const { return Model().jnt_dofadr[FreeJoint(name)]; }

  void Serialize(Archive& archive);

 private:
  int FreeJoint(const char* name) const;
};

}  // namespace envpool::robotics
