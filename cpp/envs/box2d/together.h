// Steps of several environments, with the iterations of their worlds side by side.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "box2d/velocity_iterations.h"
#include "box2d/world.h"
#include "envpool/env.h"

namespace envpool::box2d {

// An environment that has one world, which a step moves on by one frame.
class WorldEnv : public Env {
 public:
  virtual World& GetWorld() = 0;
};

// Steps environments that are all WorldEnvs. For EnvType::step_together.
void StepTogether(std::span<Turn> turns);

}  // namespace envpool::box2d
