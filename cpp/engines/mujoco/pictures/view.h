// View: an environment's pictures. What it is seen from, and who draws them.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>
#include <vector>

#include "envpool/env.h"
#include "mujoco/pictures/camera.h"
#include "mujoco/pictures/renderer_pool.h"

namespace envpool::mujoco {

// The package whose pictures a view draws. Gymnasium has a camera -1 of its own, which looks at
// where the geoms are in the first picture; dm_control's is as the model says, and the beams of
// rangefinders are hidden.
enum class Style { kGymnasium, kDmControl };

class View {
 public:
  // Reads the options of ViewOptions(). Throws std::invalid_argument if one is not what it must be.
  View(const Options& options, std::shared_ptr<const mjModel> model, Style style);

  // Draws a state of the model, or of a copy of it with other numbers in its arrays.
  void Draw(const mjModel& model, mjData& data, const Frame& frame);

  // Gives the OpenGL contexts back that are not in use.
  void Release() { renderers_->Clear(); }

  // Writes or reads what later pictures depend on.
  void Serialize(Archive& archive);

 private:
  mjvCamera Camera(const mjData& data, int id);

  const std::shared_ptr<const mjModel> model_;
  const std::shared_ptr<RendererPool> renderers_;
  const Style style_;
  std::vector<CameraSetting> settings_;
  int named_camera_ = -1;
  mjvOption visual_;
  std::vector<double> lookat_;  // of Gymnasium's camera; empty: not decided yet
};

// Reads an option of entries such as "name=1,2,3". Throws std::invalid_argument for other entries.
std::vector<CameraSetting> ReadSettings(const Options& options, const std::string& option);

// `camera`: the settings of default_camera_config, such as "lookat=0,0,1.15".
std::vector<OptionSpec> ViewOptions(std::vector<std::string> camera);

}  // namespace envpool::mujoco
