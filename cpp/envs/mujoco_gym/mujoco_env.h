// MujocoEnv: what Gymnasium's MuJoCo environments have in common.
//
// Follows gymnasium/envs/mujoco/mujoco_env.py. Each environment follows its own file there, in
// version 4 or 5, operation by operation: NumPy's order of summation, and float32 where the action
// is one. Ids of version 2 and 3, which Gymnasium no longer runs, follow version 4.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/family.h"
#include "mujoco/observation.h"
#include "mujoco/robot_env.h"

namespace envpool::mujoco {

// Throws std::invalid_argument that names the option unless it has two numbers in order.
Range ReadRange(const Options& options, const std::string& name);

// The id of a body, given by name or as a number; -1 if there is none.
int FindBody(const mjModel& model, const std::string& name);

// values = base + uniform noise
void SetUniform(std::span<double> values, std::span<const double> base, double scale,
                Random& random);

// Rejection sampling, as Gymnasium does it, but not for ever: options can leave next to nothing to
// accept.
using Point = std::array<double, 2>;

// Returns what `draw` returns as soon as `accepted` says yes. Throws std::runtime_error, which
// names the option that decides, after so many draws as take some hundredths of a second.
template <class Draw, class Accepted>
Point DrawUntil(Accepted accepted, const std::string& option, Draw draw) {
  constexpr int kMostDraws = 1'000'000;
  for (int i = 0; i < kMostDraws; ++i) {
    const Point drawn = draw();
    if (accepted(drawn)) return drawn;
  }
  throw std::runtime_error(option + " accepts none of " + std::to_string(kMostDraws) +
                           " positions that were drawn");
}

class MujocoEnv : public RobotEnv {
 public:
  explicit MujocoEnv(const Options& options);

 protected:
  // SetResetInfo of version 5; in version 4, a reset has no infos.
  virtual void SetInfoOfReset() {}
  void SetResetInfo() final {
    if (version_ == 5) SetInfoOfReset();
  }
  // Of those that move in two directions: x and y, and their distance from 0, are the first infos.
  void SetPlaceInfo();

  // Throws std::invalid_argument unless the model has at least so many positions and velocities.
  void Require(std::size_t nq, std::size_t nv) const;
  // The id of a body. Throws std::invalid_argument if the model has none of this name.
  int RequireBody(const std::string& name) const;

  // weight * sum(square(action)), in float32 if that is what the action came as.
  double ControlCost(const Action& action, double weight) const;

  // qpos = qpos0 + uniform noise; qvel = the same, or normal noise.
  void ResetWithUniformNoise(Random& random);
  void ResetWithNormalNoise(Random& random);
  // qpos0, where episodes begin but for noise.
  std::span<const double> InitialPositions() const;

  // Returns how many of the first `count` positions are not observed: all of them, or none.
  std::size_t LeftOut(std::size_t count) const {
    return options_.Flag("exclude_current_positions_from_observation") ? count : 0;
  }

  // For environments that read cfrc_ext, unless an option says that they are not computed.
  void NeedContactForces() { RobotEnv::NeedContactForces(options_.Flag("post_constraint")); }

  const int version_;   // 4 or 5
  const double noise_;  // reset_noise_scale
};

OptionSpec ResetNoise(double scale);

// What all of Gymnasium's have beside: versions, and whether contact forces are computed.
RobotType AsInGymnasium(RobotType type);

// The spec of an environment whose observation has `size` numbers.
Spec MujocoSpec(const Options& options, std::size_t size, std::vector<Field> info);

// Registers the environment of class T.
template <class T>
bool RegisterMujoco(RobotType type) {
  return Register(DescribeRobot<T>(AsInGymnasium(std::move(type)), MujocoSpec));
}

}  // namespace envpool::mujoco
