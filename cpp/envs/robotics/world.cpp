#include "robotics/world.h"

#include <stdexcept>
#include <string>

namespace envpool::robotics {

std::span<double> RobotWorld::OwnRow(mjtNum* mjModel::* array, mjtSize rows, int row,
                                     std::size_t width) {
  const std::span<double> all = Own(array, static_cast<std::size_t>(rows) * width);
  return all.subspan(static_cast<std::size_t>(row) * width, width);
}

int RobotWorld::FreeJoint(const char* name) const {
  const int joint = Joint(name);
  if (Model().jnt_type[joint] == mjJNT_FREE) return joint;
  throw std::runtime_error(Name() + " has a joint '" + name + "' that is no free joint");
}

// Velocities of sites are computed from the first two; sensors tell what the last step computed.
void RobotWorld::Serialize(Archive& archive) {
  Simulation::Serialize(archive, [](const mjModel& model, mjData& data) -> Arrays {
    return {{data.cdof, 6 * static_cast<std::size_t>(model.nv)},
            {data.subtree_com, 3 * static_cast<std::size_t>(model.nbody)},
            {data.sensordata, static_cast<std::size_t>(model.nsensordata)}};
  });
}

}  // namespace envpool::robotics
