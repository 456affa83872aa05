// World: a simulation whose model may have arrays of its own.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "envpool/archive.h"
#include "mujoco/engine.h"
#include "mujoco/model.h"
#include "mujoco/own_model.h"
#include "numerics/products.h"

namespace envpool::robotics {

using numerics::Vector;

class World {
 public:
  // `name` is that of the model, for messages.
  World(std::string name, std::shared_ptr<const mjModel> shared)
      : name_(std::move(name)), own_(std::move(shared)) {
    MakeData();
  }

  const mjModel& Model() const { return own_.Get(); }
  mjModel& Model() { return own_.Get(); }
  const std::shared_ptr<const mjModel>& Shared() const { return own_.Shared(); }
  const mjData& Data() const { return *data_; }
  mjData& Data() { return *data_; }

  // See mujoco::OwnModel.
  template <class T>
  std::span<T> Own(T* mjModel::* array, std::size_t size) {
    return own_.Own(array, size);
  }
  // A row of such an array.
  std::span<double> OwnRow(mjtNum* mjModel::* array, std::int64_t rows, int row,
                           std::size_t width) {
    const std::span<double> all = Own(array, static_cast<std::size_t>(rows) * width);
    return all.subspan(static_cast<std::size_t>(row) * width, width);
  }

  // Runs `call`, which gets the model and the data and calls MuJoCo, as mujoco::RunEngine does;
  // keeps what it warns of.
  template <class Call>
  void Run(const Call& call);

  // What Run has kept since the last call.
  std::string TakeWarnings() { return std::exchange(warnings_, {}); }

  // Whether an error has left MuJoCo's data in disorder, and only Reset mends it.
  bool IsDamaged() const { return is_damaged_; }
  // mj_resetData, and a new mjData if an error has left the old one in disorder.
  void Reset();
  void Forward() {
    Run([](const mjModel& model, mjData& data) { mj_forward(&model, &data); });
  }
  // mj_step(nstep=steps).
  void Step(std::int64_t steps) {
    Run([steps](const mjModel& model, mjData& data) {
      for (std::int64_t i = 0; i < steps; ++i) mj_step(&model, &data);
    });
  }

  std::size_t Nq() const { return static_cast<std::size_t>(Model().nq); }
  std::size_t Nv() const { return static_cast<std::size_t>(Model().nv); }
  std::size_t Nu() const { return static_cast<std::size_t>(Model().nu); }
  std::span<const double> Qpos() const { return {data_->qpos, Nq()}; }
  std::span<const double> Qvel() const { return {data_->qvel, Nv()}; }
  std::span<double> Qpos() { return {data_->qpos, Nq()}; }
  std::span<double> Qvel() { return {data_->qvel, Nv()}; }
  std::span<double> Control() { return {data_->ctrl, Nu()}; }

  // Where they are now, m.
  Vector BodyPosition(int body) const { return PointAt(data_->xpos, body); }
  Vector SitePosition(int site) const { return PointAt(data_->site_xpos, site); }

  // The place of what has a name. Throws std::runtime_error if the model has none of this name.
  int Find(mjtObj type, const char* name) const;
  int Body(const char* name) const { return Find(mjOBJ_BODY, name); }
  int Site(const char* name) const { return Find(mjOBJ_SITE, name); }
  int Joint(const char* name) const { return Find(mjOBJ_JOINT, name); }
  int JointPosition(const char* name) const { return Model().jnt_qposadr[Joint(name)]; }
  int JointVelocity(const char* name) const { return Model().jnt_dofadr[Joint(name)]; }

  // The same for the joint of a body that moves freely: seven positions, six velocities. Throws
  // std::runtime_error if it is another joint.
  int FreePosition(const char* name) const { return Model().jnt_qposadr[FreeJoint(name)]; }
  int FreeVelocity(const char* name) const { return Model().jnt_dofadr[FreeJoint(name)]; }

  void Serialize(Archive& archive);

 private:
  static Vector PointAt(const double* points, int index) {
    const double* point = points + 3 * index;
    return {point[0], point[1], point[2]};
  }

  int FreeJoint(const char* name) const;
  void MakeData() { data_ = mujoco::MakeData(*own_.Shared()); }

  const std::string name_;
  mujoco::OwnModel own_;
  mujoco::Data data_;
  bool is_damaged_ = false;
  std::string warnings_;
};

template <class Call>
void World::Run(const Call& call) {
  is_damaged_ = true;
  const std::string warning = mujoco::RunEngine([&] { call(own_.Get(), *data_); });
  is_damaged_ = false;
  if (!warning.empty()) warnings_ += (warnings_.empty() ? "" : "; ") + warning;
}

}  // namespace envpool::robotics
