// The files of the installed gymnasium_robotics: models and meshes.
#pragma once

#include <string>

namespace envpool::robotics {

// Where they are: the folder `envs/assets`. Models that are named without a folder are there, too.
void SetAssets(const std::string& folder);

// Where Gymnasium's ant is, which is no file of that package.
void SetAntFile(const std::string& path);
std::string AntFile();

// The content of a file of that folder, or of one that has a path. Throws std::runtime_error if it
// can't be read.
std::string ReadAsset(const std::string& name);

}  // namespace envpool::robotics
