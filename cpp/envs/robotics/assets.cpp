#include "robotics/assets.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "envpool/setting_text.h"
#include "mujoco/model.h"

namespace envpool::robotics {

namespace {

SettingText asset_folder;
SettingText ant_file;

}  // namespace

void SetAssets(const std::string& folder) {
  asset_folder.Set(folder);
  mujoco::SetAssetFolder(folder);
}

void SetAntFile(const std::string& path) { ant_file.Set(path); }

std::string AntFile() { return ant_file.Get(); }

std::string ReadAsset(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(asset_folder.Get()) / name;
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) throw std::runtime_error("cannot read the model " + path.string());
  return text;
}

}  // namespace envpool::robotics
