// Sketch: a copy of a world, to be changed for a picture.
//
// The original moves targets in the world itself, and computes it anew, when it draws: how a
// simulation goes on there depends on whether somebody looks.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "mujoco/engine.h"
#include "mujoco/simulation.h"
#include "robotics/robot_env.h"
#include "robotics/world.h"

namespace envpool::robotics {

class Sketch {
 public:
  explicit Sketch(const RobotWorld& world)
      : model_(world.Model()), sites_(model_.site_pos, model_.site_pos + 3 * model_.nsite) {
    model_.site_pos = sites_.data();
    mjData* copy = nullptr;
    mujoco::RunEngine([&] { copy = mj_copyData(nullptr, &model_, &world.Data()); });
    data_.reset(copy);
  }

  // The model's arrays are the world's, except site_pos. To change another one, point the model to
  // an array that outlives it.
  mjModel& Model() { return model_; }
  mjData& Data() { return *data_; }

  // Lets Forward move a site to a place, as if its body were where that of the site `like` is.
  void MoveSite(int site, std::span<const double> to, int like) {
    for (int i = 0; i < 3; ++i) {
      const double offset = data_->site_xpos[3 * like + i] - model_.site_pos[3 * like + i];
      model_.site_pos[3 * site + i] = to[static_cast<std::size_t>(i)] - offset;
    }
  }

  void Forward() {
    mujoco::RunEngine([this] { mj_forward(&model_, data_.get()); });
  }
  void Show(const Painter& paint) { paint(model_, *data_); }

 private:
  mjModel model_;
  std::vector<double> sites_;
  std::unique_ptr<mjData, mujoco::DeleteData> data_;
};

}  // namespace envpool::robotics
