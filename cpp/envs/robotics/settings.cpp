// What this library cannot find out by itself.
#include "numerics/settings.h"

#include "envpool/family.h"
#include "robotics/assets.h"

namespace envpool::robotics {
namespace {

std::vector<OptionSpec> Settings() {
  std::vector<OptionSpec> settings = numerics::Settings();
  settings.push_back(
      {"asset_folder", "", "where models are that are named without a folder: the package's"});
  settings.push_back({"ant_file", "", "where the model of AntMaze's ant is: Gymnasium's"});
  return settings;
}

void Configure(const Options& settings) {
  SetAssets(settings.Text("asset_folder"));
  SetAntFile(settings.Text("ant_file"));
  numerics::Configure(settings);
}

[[maybe_unused]] const bool registered = RegisterSettings(Settings(), Configure);

}  // namespace
}  // namespace envpool::robotics
