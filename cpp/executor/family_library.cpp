#include "executor/family_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <stdexcept>

namespace envpool {

const Family& LoadFamily(const std::string& path) {
  // Never closed: environments and exceptions of the library may outlive any one user of it.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  using Door = const Family* (*)();
  const auto door = reinterpret_cast<Door>(dlsym(library, "envpool_family"));
  if (door == nullptr) {
    throw std::runtime_error(path + " is no family of environments: it lacks envpool_family()");
  }
  const Family& family = *door();
  if (family.sdk_version != kSdkVersion) {
    throw std::runtime_error(path + " was built for version " + std::to_string(family.sdk_version) +
                             " of the SDK, this is version " + std::to_string(kSdkVersion) +
                             ": build it again");
  }
  return family;
}

void Configure(const Family& family, const Options& given) {
  Options settings(family.settings);
  for (const auto& [name, value] : given.Entries()) {
    const auto known = std::ranges::find(family.settings, name, &OptionSpec::name);
    if (known == family.settings.end()) {
      throw std::invalid_argument("there is no setting " + name);
    }
    if (value.index() != known->default_value.index()) {
      throw std::invalid_argument("the setting " + name + " has another type");
    }
    settings.Set(name, value);
  }
  if (family.configure) family.configure(settings);
}

}  // namespace envpool
