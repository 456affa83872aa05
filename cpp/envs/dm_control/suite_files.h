// The files of dm_control's suite: models and what they include.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>

namespace envpool::dm_control {

// The content of a file of the folder `suite` of the installed dm_control. Throws
// std::runtime_error if it can't be read.
std::string ReadSuiteFile(const std::string& name);

// Compiles a model of the suite, given as text, which includes files of the suite; and if `assets`
// is not empty, all files of that folder. The same model is returned as long as somebody has it.
// `name` is for messages.
std::shared_ptr<const mjModel> LoadSuiteModel(const std::string& name, const std::string& xml,
                                              const std::string& assets);

}  // namespace envpool::dm_control
