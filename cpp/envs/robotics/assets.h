// The files of the installed gymnasium_robotics: models and meshes.
#pragma once

#include <string>

namespace envpool::robotics {

// Where Gymnasium's ant is, which is no file of that package.
std::string AntFile();

// The content of a file of that folder, or of one that has a path. Throws std::runtime_error if it
// can't be read.
std::string ReadAsset(const std::string& name);

}  // namespace envpool::robotics
