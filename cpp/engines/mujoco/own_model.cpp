#include "mujoco/own_model.h"

#include <stdexcept>
#include <utility>

namespace envpool::mujoco {

OwnModel::OwnModel(std::string name, std::shared_ptr<const mjModel> shared)
    : name_(std::move(name)), shared_(std::move(shared)), model_(shared_.get()) {}

mjModel& OwnModel::Copy() {
  if (copy_ == nullptr) model_ = (copy_ = std::make_unique<mjModel>(*shared_)).get();
  return *copy_;
}

void OwnModel::SerializeOwn(Archive& archive) {
  for (std::vector<double>& array : numbers_) archive(std::span(array));
  for (std::vector<float>& array : floats_) archive(std::span(array));
}

int OwnModel::Find(mjtObj type, const char* name) const {
  const int id = mj_name2id(model_, type, name);
  if (id >= 0) return id;
  throw std::runtime_error(name_ + " has no " + mju_type2Str(type) + " '" + name + "'");
}

}  // namespace envpool::mujoco
