// OwnModel: a model as one simulation has it, and what the names in it stand for.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "envpool/archive.h"

namespace envpool::mujoco {

class OwnModel {
 public:
  // `name` is what messages call the model.
  OwnModel(std::string name, std::shared_ptr<const mjModel> shared);
  OwnModel(const OwnModel&) = delete;
  OwnModel& operator=(const OwnModel&) = delete;

  const std::string& Name() const { return name_; }
  const mjModel& Model() const { return *model_; }
  const std::shared_ptr<const mjModel>& Shared() const { return shared_; }

  // This simulation's own copy of the model, whose arrays are still the shared ones.
  mjModel& Copy();

  // An array in a copy of this simulation's own. It stays as it is until it is written again, and
  // belongs to snapshots.
  std::span<double> Own(mjtNum* mjModel::* array, std::size_t size) {
    return CopyArray(array, size, numbers_);
  }
  std::span<float> Own(float* mjModel::* array, std::size_t size) {
    return CopyArray(array, size, floats_);
  }
  void SerializeOwn(Archive& archive);

  // The place of what has a name. Throws std::runtime_error if the model has none of this name.
  int Find(mjtObj type, const char* name) const;
  int Body(const char* name) const { return Find(mjOBJ_BODY, name); }
  int Geom(const char* name) const { return Find(mjOBJ_GEOM, name); }
  int Site(const char* name) const { return Find(mjOBJ_SITE, name); }
  int Joint(const char* name) const { return Find(mjOBJ_JOINT, name); }
  int JointPosition(const char* name) const { return model_->jnt_qposadr[Joint(name)]; }
  int JointVelocity(const char* name) const { return model_->jnt_dofadr[Joint(name)]; }
  int Sensor(const char* name) const { return model_->sensor_adr[Find(mjOBJ_SENSOR, name)]; }

 private:
  template <class T>
  std::span<T> CopyArray(T* mjModel::* array, std::size_t size,
                         std::vector<std::vector<T>>& copies) {
    copies.emplace_back(model_->*array, model_->*array + size);
    Copy().*array = copies.back().data();
    return copies.back();
  }

  const std::string name_;
  const std::shared_ptr<const mjModel> shared_;
  std::unique_ptr<mjModel> copy_;
  const mjModel* model_;  // the copy if there is one, else the shared model
  std::vector<std::vector<double>> numbers_;
  std::vector<std::vector<float>> floats_;
};

}  // namespace envpool::mujoco
