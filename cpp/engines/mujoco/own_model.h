// OwnModel: a shared model, some arrays of which are an environment's own, to be written.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "envpool/archive.h"

namespace envpool::mujoco {

class OwnModel {
 public:
  explicit OwnModel(std::shared_ptr<const mjModel> shared)
      : shared_(std::move(shared)), model_(*shared_) {}
  OwnModel(const OwnModel&) = delete;
  OwnModel& operator=(const OwnModel&) = delete;

  const mjModel& Get() const { return model_; }
  mjModel& Get() { return model_; }
  const std::shared_ptr<const mjModel>& Shared() const { return shared_; }

  // An array in a copy of this environment's own. It stays as it is until it is written again, and
  // belongs to snapshots.
  std::span<double> Own(mjtNum* mjModel::* array, std::size_t size) {
    return Copy(array, size, numbers_);
  }
  std::span<float> Own(float* mjModel::* array, std::size_t size) {
    return Copy(array, size, floats_);
  }

  // The arrays that are its own.
  void Serialize(Archive& archive) {
    for (std::vector<double>& array : numbers_) archive(std::span(array));
    for (std::vector<float>& array : floats_) archive(std::span(array));
  }

 private:
  template <class T>
  std::span<T> Copy(T* mjModel::* array, std::size_t size, std::vector<std::vector<T>>& copies) {
    copies.emplace_back(model_.*array, model_.*array + size);
    model_.*array = copies.back().data();
    return copies.back();
  }

  const std::shared_ptr<const mjModel> shared_;
  mjModel model_;  // the shared one, but for the arrays below
  std::vector<std::vector<double>> numbers_;
  std::vector<std::vector<float>> floats_;
};

}  // namespace envpool::mujoco
