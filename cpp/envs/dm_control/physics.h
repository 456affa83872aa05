// Physics: a simulated world of dm_control's suite.
//
// Follows dm_control/mujoco/engine.py, call by call: what MuJoCo computes begins with what it
// computed last.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "envpool/archive.h"
#include "mujoco/engine.h"
#include "mujoco/model.h"
#include "mujoco/own_model.h"
#include "numerics/products.h"

namespace envpool::dm_control {

using numerics::Dot;
using numerics::InFrame;
using numerics::Norm;
using numerics::RowInFrame;
using numerics::Vector;

// The simulation has become unstable or too large, as MuJoCo's warnings tell.
struct PhysicsError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Physics {
 public:
  explicit Physics(std::shared_ptr<const mjModel> shared);
  Physics(const Physics&) = delete;
  Physics& operator=(const Physics&) = delete;

  const mjModel& Model() const { return model_; }
  const mjModel& SharedModel() const { return *own_.Shared(); }
  const std::shared_ptr<const mjModel>& Shared() const { return own_.Shared(); }
  const mjData& State() const { return *data_; }
  mjData& State() { return *data_; }

  // See mujoco::OwnModel.
  std::span<double> Own(mjtNum* mjModel::* array, std::size_t size) {
    return own_.Own(array, size);
  }
  std::span<float> Own(float* mjModel::* array, std::size_t size) { return own_.Own(array, size); }

  // physics.reset(): the initial state, then a forward computation without actuators. Throws
  // PhysicsError.
  void Reset();
  // physics.after_reset(): that computation alone. Throws PhysicsError.
  void AfterReset();
  // The same where dm_control looks at no warnings.
  void ResetWhateverComes();
  void AfterResetWhateverComes();
  // How many contacts there would be after a reset that sets a state by `set`. Computes no more
  // than that takes, so that another reset has to follow.
  template <class Set>
  int ContactsAfterReset(const Set& set) {
    SetInitialState();
    set();
    return CountContacts();
  }
  // physics.step(steps), the legacy step: afterwards all that depends on positions and velocities
  // is up to date. Throws PhysicsError.
  void Step(std::int64_t steps);

  std::size_t Nq() const { return static_cast<std::size_t>(model_.nq); }
  std::size_t Nv() const { return static_cast<std::size_t>(model_.nv); }
  std::span<const double> Qpos() const { return {data_->qpos, Nq()}; }
  std::span<const double> Qvel() const { return {data_->qvel, Nv()}; }
  std::span<const double> Control() const {
    return {data_->ctrl, static_cast<std::size_t>(model_.nu)};
  }

  // Places of what has a name. Throw std::runtime_error if the model has none of this name.
  int Body(const char* name) const { return Find(mjOBJ_BODY, name); }
  int Geom(const char* name) const { return Find(mjOBJ_GEOM, name); }
  int Site(const char* name) const { return Find(mjOBJ_SITE, name); }
  int Joint(const char* name) const { return Find(mjOBJ_JOINT, name); }
  int JointPosition(const char* name) const { return model_.jnt_qposadr[Joint(name)]; }
  int JointVelocity(const char* name) const { return model_.jnt_dofadr[Joint(name)]; }
  int Sensor(const char* name) const { return model_.sensor_adr[Find(mjOBJ_SENSOR, name)]; }
  int Find(mjtObj type, const char* name) const;

  // An element of a body's frame in the world: row and column, 0 to 2.
  double BodyFrame(int body, int row, int column) const {
    return data_->xmat[9 * body + 3 * row + column];
  }
  const double* BodyFrame(int body) const { return data_->xmat + 9 * body; }
  const double* BodyPosition(int body) const { return data_->xpos + 3 * body; }
  const double* GeomPosition(int geom) const { return data_->geom_xpos + 3 * geom; }
  const double* SitePosition(int site) const { return data_->site_xpos + 3 * site; }
  const double* SensorData(int address) const { return data_->sensordata + address; }

  void Serialize(Archive& archive);

 private:
  template <class Run>
  void Check(const Run& body);
  void SetInitialState();
  int CountContacts();
  void Recompute();
  void MakeState() { data_ = mujoco::MakeData(SharedModel()); }

  mujoco::OwnModel own_;
  mjModel& model_ = own_.Get();
  mujoco::Data data_;
  bool is_after_reset_ = false;  // what was computed last: without actuators, or by a step
  bool is_damaged_ = false;      // an error has left MuJoCo's data in disorder
};

// a - b
inline Vector Difference(const double* a, const double* b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

}  // namespace envpool::dm_control
