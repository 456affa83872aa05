#include "vizdoom/paths.h"

#include <filesystem>
#include <stdexcept>

#include "envpool/family.h"
#include "envpool/setting_text.h"

namespace envpool::vizdoom {

namespace {

SettingText library;
SettingText folder;
SettingText maps;
SettingText launcher;

[[maybe_unused]] const bool registered = RegisterSettings(
    {{"library", "", "the module of the package vizdoom; empty if it is not installed"},
     {"folder", "", "where that package is"},
     {"maps", "", "where the package envpool-assets has scenarios; empty if it is not installed"},
     {"launcher", "", "the program that starts engines"}},
    [](const Options& settings) {
      library.Set(settings.Text("library"));
      folder.Set(settings.Text("folder"));
      maps.Set(settings.Text("maps"));
      launcher.Set(settings.Text("launcher"));
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
std::string LauncherPath() { return Known(launcher); }
std::string EnginePath() { return Known(folder) + "/vizdoom"; }
std::string FreedoomPath() { return Known(folder) + "/freedoom2.wad"; }

std::string Located(const std::string& path) {
  const bool is_name = !path.empty() && path.find('/') == std::string::npos;
  if (!is_name) return path;
  const std::string own = Known(folder) + "/scenarios/" + path;
  if (std::filesystem::exists(own)) return own;
  if (!maps.Get().empty()) return maps.Get() + "/" + path;
  throw std::runtime_error("the scenario " + path +
                           " is not among vizdoom's, but among those of another package: "
                           "pip install envpool-assets==0.3.0");
}

}  // namespace envpool::vizdoom
