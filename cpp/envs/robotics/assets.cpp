#include "robotics/assets.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "envpool/setting_text.h"
#include "mujoco/model.h"
#include "numerics/settings.h"

namespace envpool::robotics {

namespace {

SettingText asset_folder;
SettingText ant_file;

// What this library cannot find out by itself.
[[maybe_unused]] const bool registered = numerics::Register(
    {{"asset_folder", "", "where models are that are named without a folder: the package's"},
     {"ant_file", "", "where the model of AntMaze's ant is: Gymnasium's"}},
    [](const Options& settings) {
      asset_folder.Set(settings.Text("asset_folder"));
      mujoco::SetAssetFolder(settings.Text("asset_folder"));
      ant_file.Set(settings.Text("ant_file"));
    });

}  // namespace

std::string AntFile() { return ant_file.Get(); }

std::string ReadAsset(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(asset_folder.Get()) / name;
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) throw std::runtime_error("cannot read the model " + path.string());
  return text;
}

}  // namespace envpool::robotics
