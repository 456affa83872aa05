#include "dm_control/suite_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include "envpool/setting_text.h"
#include "mujoco/model.h"
#include "numerics/settings.h"

namespace envpool::dm_control {

namespace {

namespace fs = std::filesystem;

SettingText suite_folder;

// What this library cannot find out by itself.
[[maybe_unused]] const bool registered = numerics::Register(
    {{"suite_folder", "", "where the models are: dm_control's folder 'suite'"}},
    [](const Options& settings) { suite_folder.Set(settings.Text("suite_folder")); });

fs::path Folder() { return suite_folder.Get(); }

// What the models include, under the names that they have there.
std::vector<mujoco::ModelText::File> CommonFiles() {
  std::vector<mujoco::ModelText::File> files;
  for (const char* name :
       {"./common/materials.xml", "./common/skybox.xml", "./common/visual.xml"}) {
    files.push_back({name, (Folder() / name).string()});
  }
  return files;
}

}  // namespace

std::string ReadSuiteFile(const std::string& name) {
  const fs::path path = Folder() / name;
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) throw std::runtime_error("cannot read " + path.string() + " of dm_control");
  return text;
}

std::shared_ptr<const mjModel> LoadSuiteModel(const std::string& name, const std::string& xml,
                                              const std::string& assets) {
  mujoco::ModelText text{.name = name, .xml = xml, .files = CommonFiles()};
  if (!assets.empty()) {
    for (const fs::directory_entry& entry : fs::directory_iterator(Folder() / assets)) {
      text.files.push_back({entry.path().filename().string(), entry.path().string()});
    }
    std::ranges::sort(text.files);
  }
  return mujoco::LoadModel(text);
}

}  // namespace envpool::dm_control
