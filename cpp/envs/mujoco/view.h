// View: an environment's pictures. What it is seen from, and who draws them.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "envpool/env.h"
#include "mujoco/camera.h"
#include "mujoco/renderer_pool.h"

namespace envpool::mujoco {

class View {
 public:
  // Reads the options of ViewOptions(). Throws std::invalid_argument if one is not what it must be.
  View(const Options& options, std::shared_ptr<const mjModel> model);

  // Draws a state of the model. The camera that frame.camera = -1 stands for is chosen by the first
  // picture, as in Gymnasium.
  void Draw(mjData& data, const Frame& frame);

  // Gives the OpenGL contexts back that are not in use.
  void Release() { renderers_->Clear(); }

  // What later pictures depend on.
  void Serialize(Archive& archive);

 private:
  const std::shared_ptr<const mjModel> model_;
  const std::shared_ptr<RendererPool> renderers_;
  std::vector<CameraSetting> settings_;
  int named_camera_ = -1;
  mjvOption visual_;
  std::optional<mjvCamera> camera_;
};

// `camera`: the settings of default_camera_config, such as "lookat=0,0,1.15".
std::vector<OptionSpec> ViewOptions(std::vector<std::string> camera);

}  // namespace envpool::mujoco
