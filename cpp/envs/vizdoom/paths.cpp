#include "vizdoom/paths.h"

#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "envpool/family.h"
#include "envpool/setting_text.h"

namespace envpool::vizdoom {

namespace {

SettingText library;
SettingText folder;
SettingText maps;
SettingText launcher;

[[maybe_unused]] const bool registered = RegisterSettings(
    {{"library", "", "the module of the package vizdoom"},
     {"folder", "", "where that package is"},
     {"maps", "", "where the package envpool-assets has scenarios; empty if it is not installed"},
     {"launcher", "", "the program that starts engines"}},
    [](const Options& settings) {
      library.Set(settings.Text("library"));
      folder.Set(settings.Text("folder"));
      maps.Set(settings.Text("maps"));
      launcher.Set(settings.Text("launcher"));
    });

}  // namespace

std::string LibraryPath() { return library.Get(); }
std::string LauncherPath() { return launcher.Get(); }
std::string EnginePath() { return folder.Get() + "/vizdoom"; }
std::string FreedoomPath() { return folder.Get() + "/freedoom2.wad"; }

std::string Located(const Options& options, const std::string& option) {
  const std::string& path = options.Text(option);
  const bool is_name = !path.empty() && path.find('/') == std::string::npos;
  if (!is_name) return path;
  for (const std::string& scenarios : {folder.Get() + "/scenarios/", maps.Get() + "/"}) {
    std::error_code ignored;
    if (std::filesystem::exists(scenarios + path, ignored)) return scenarios + path;
  }
  throw std::invalid_argument(
      option + ": '" + path + "' is no file of a scenario of vizdoom's" +
      (maps.Get().empty() ? "; D1 to D4 are in pip install \"envpool-next[vizdoom-maps]\"" : ""));
}

}  // namespace envpool::vizdoom
