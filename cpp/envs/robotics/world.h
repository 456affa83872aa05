// RobotWorld: a simulation, and what only robots' need of it.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <span>
#include <stdexcept>

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
  std::span<double> OwnRow(mjtNum* mjModel::* array, mjtSize rows, int row, std::size_t width) {
    const std::span<double> all = Own(array, static_cast<std::size_t>(rows) * width);
    return all.subspan(static_cast<std::size_t>(row) * width, width);
  }

  // Where the joint of a body that moves freely has its seven positions and its six velocities.
  // Throw std::runtime_error if there is no such joint.
  int FreePosition(const char* name) const { return Model().jnt_qposadr[FreeJoint(name)]; }
  int FreeVelocity(const char* name) const { return Model().jnt_dofadr[FreeJoint(name)]; }

  // Velocities of sites are computed from the first two; sensors tell what the last step computed.
  void Serialize(Archive& archive) {
    Simulation::Serialize(archive, [](const mjModel& model, mjData& data) -> Arrays {
      return {{data.cdof, 6 * static_cast<std::size_t>(model.nv)},
              {data.subtree_com, 3 * static_cast<std::size_t>(model.nbody)},
              {data.sensordata, static_cast<std::size_t>(model.nsensordata)}};
    });
  }

 private:
  int FreeJoint(const char* name) const {
    const int joint = Joint(name);
    if (Model().jnt_type[joint] == mjJNT_FREE) return joint;
    throw std::runtime_error(Name() + " has a joint '" + name + "' that is no free joint");
  }
};

}  // namespace envpool::robotics
