// Model: a compiled MuJoCo model, shared by all environments of one configuration.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>

#include "mujoco/compiler.h"

namespace envpool::mujoco {

// Sets the folder of models that are named without one.
void SetAssetFolder(const std::string& folder);

// Loads `xml_file`: a path that begins with "/", "." or "~", else one in the asset folder. The same
// model is returned as long as somebody has it and the file stays as it is, and the last one for
// longer. Throws std::invalid_argument that names the file if there is none, or MuJoCo refuses it.
std::shared_ptr<const mjModel> LoadModel(const std::string& xml_file);

// Loads a model that is given as text, whose files are taken to stay as they are.
std::shared_ptr<const mjModel> LoadModel(const ModelText& text);

}  // namespace envpool::mujoco
