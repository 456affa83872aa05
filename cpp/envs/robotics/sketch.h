// Sketch: a copy of a world, to be changed for a picture.
//
// The original moves targets in the world itself, and computes it anew, when it draws: how a
// simulation goes on there depends on whether somebody looks.
#pragma once

#include <mujoco/mujoco.h>

#include "mujoco/engine.h"
#include "mujoco/model.h"
#include "robotics/robot_env.h"
#include "robotics/world.h"

namespace envpool::robotics {

class Sketch {
 public:
  explicit Sketch(const World& world) : model_(world.Model()) {
    mjData* copy = nullptr;
    mujoco::RunEngine([&] { copy = mj_copyData(nullptr, &model_, &world.Data()); });
    data_.reset(copy);
  }

  // Its arrays are the world's: for others, give it others, which must outlive the sketch.
  mjModel& Model() { return model_; }
  mjData& Data() { return *data_; }

  void Forward() {
    mujoco::RunEngine([this] { mj_forward(&model_, data_.get()); });
  }
  void Show(const Painter& paint) { paint(model_, *data_); }

 private:
  mjModel model_;
  mujoco::Data data_;
};

}  // namespace envpool::robotics
