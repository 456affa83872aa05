// Physics: a simulated world of dm_control's suite.
//
// Follows dm_control/mujoco/engine.py, call by call: what MuJoCo computes begins with what it
// computed last.
#pragma once

#include <mujoco/mujoco.h>

#include <cstdint>
#include <stdexcept>

#include "envpool/archive.h"
#include "mujoco/simulation.h"
#include "numerics/products.h"

namespace envpool::dm_control {

using numerics::Difference;
using numerics::Distance;
using numerics::Dot;
using numerics::InFrame;
using numerics::Norm;
using numerics::RowInFrame;
using numerics::Vector;
using numerics::VectorAt;

// The simulation has become unstable or too large, as MuJoCo's warnings tell.
struct PhysicsError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Physics : public mujoco::Simulation {
 public:
  using Simulation::Simulation;

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
    Simulation::Reset();
    set();
    return CountContacts();
  }
  // physics.step(steps), the legacy step: afterwards all that depends on positions and velocities
  // is up to date. Throws PhysicsError.
  void Step(std::int64_t steps);

  // An element of a body's frame in the world: row and column, 0 to 2.
  double BodyFrame(int body, int row, int column) const {
    return BodyFrame(body)[3 * row + column];
  }
  const double* BodyFrame(int body) const { return Data().xmat + 9 * body; }
  // Returns the first of a shape's sizes.
  double GeomSize(const char* geom) const { return Model().geom_size[3 * Geom(geom)]; }
  const double* SensorData(int address) const { return Data().sensordata + address; }

  void Serialize(Archive& archive);

 private:
  template <class Call>
  void Check(const Call& call);
  int CountContacts();
  void Recompute();

  bool is_after_reset_ = false;  // what was computed last: without actuators, or by a step
};

}  // namespace envpool::dm_control
