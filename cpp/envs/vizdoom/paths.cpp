#include "vizdoom/paths.h"

#include <stdexcept>

#include "envpool/family.h"
#include "envpool/setting_text.h"

namespace envpool::vizdoom {

namespace {

SettingText library;
SettingText folder;

[[maybe_unused]] const bool registered = RegisterSettings(
    {{"library", "", "the module of the package vizdoom; empty if it is not installed"},
     {"folder", "", "where that package is"}},
    [](const Options& settings) {
      library.Set(settings.Text("library"));
      folder.Set(settings.Text("folder"));
    });

const std::string& Known(const SettingText& text) {
  if (text.Get().empty()) {
    throw std::runtime_error(
        "ViZDoom's tasks need vizdoom==1.3.2, which is not installed: "
        "pip install \"envpool-next[vizdoom]\"");
  }
  return text.Get();
}

}  // namespace

std::string LibraryPath() { return Known(library); }
std::string PackageFolder() { return Known(folder); }

std::string Located(const std::string& path) {
  const bool is_name = !path.empty() && path.find('/') == std::string::npos;
  return is_name ? PackageFolder() + "/scenarios/" + path : path;
}

std::string EnginePath() { return PackageFolder() + "/vizdoom"; }

}  // namespace envpool::vizdoom
