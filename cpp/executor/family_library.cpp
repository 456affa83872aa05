#include "executor/family_library.h"

#include <dlfcn.h>

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

}  // namespace envpool
