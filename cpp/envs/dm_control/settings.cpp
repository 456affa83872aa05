// What this library cannot find out by itself.
#include "numerics/settings.h"

#include "dm_control/suite_files.h"
#include "envpool/family.h"

namespace envpool::dm_control {
namespace {

std::vector<OptionSpec> Settings() {
  std::vector<OptionSpec> settings = numerics::Settings();
  settings.push_back({"suite_folder", "", "where the models are: dm_control's folder 'suite'"});
  return settings;
}

void Configure(const Options& settings) {
  SetSuiteFolder(settings.Text("suite_folder"));
  numerics::Configure(settings);
}

[[maybe_unused]] const bool registered = RegisterSettings(Settings(), Configure);

}  // namespace
}  // namespace envpool::dm_control
