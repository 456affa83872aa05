#include "robotics/world.h"

#include <stdexcept>

#include "mujoco/data_state.h"

namespace envpool::robotics {

void World::Reset() {
  if (is_damaged_) MakeData();
  Run([](const mjModel& model, mjData& data) { mj_resetData(&model, &data); });
}

int World::Find(mjtObj type, const char* name) const {
  const int id = mj_name2id(&Model(), type, name);
  if (id >= 0) return id;
  throw std::runtime_error(name_ + " has no " + mju_type2Str(type) + " '" + name + "'");
}

int World::FreeJoint(const char* name) const {
  const int joint = Joint(name);
  if (Model().jnt_type[joint] == mjJNT_FREE) return joint;
  throw std::runtime_error(name_ + " has a joint '" + name + "' that is no free joint");
}

void World::Serialize(Archive& archive) {
  if (archive.IsReader() && std::exchange(is_damaged_, true)) MakeData();
  mujoco::SerializeState(Model(), *data_, name_, archive);
  mujoco::SerializeDerived(Model(), *data_, archive);
  // What velocities of sites are computed from, and what sensors tell.
  archive(std::span(data_->cdof, 6 * Nv()),
          std::span(data_->subtree_com, 3 * static_cast<std::size_t>(Model().nbody)),
          std::span(data_->sensordata, static_cast<std::size_t>(Model().nsensordata)));
  archive(own_);  // last, as a reset does not mend it
  if (archive.IsReader()) is_damaged_ = false;
}

}  // namespace envpool::robotics
