#include "loading/family_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <set>
#include <stdexcept>

#include "loading/require.h"

namespace envpool {

namespace {

constexpr Abi kOurs = ThisAbi();
constexpr const char* kResetMask = "reset_mask";
constexpr const char* kAdvice =
    ". Build it again as this envpool was built and with its headers: pip install "
    "--force-reinstall --no-deps --no-cache-dir --no-build-isolation of its package";

// A library's Abi, which may be that of another version, shorter or longer than ours.
Abi Copy(const void* door) {
  std::array<std::byte, sizeof(Abi)> bytes{};
  std::memcpy(bytes.data(), door, offsetof(Abi, fingerprint));
  if (std::memcmp(bytes.data(), kOurs.magic, sizeof(kOurs.magic)) == 0) {
    const std::size_t size = std::bit_cast<Abi>(bytes).size;
    std::memcpy(bytes.data(), door, std::min(size, bytes.size()));
  }
  return std::bit_cast<Abi>(bytes);
}

// A text of fixed size, which need not be what it should.
template <std::size_t kSize>
std::string Text(const char (&text)[kSize]) {
  return {text, strnlen(text, kSize)};
}

std::string Describe(const Abi& abi) {
  std::array<char, 16> layouts{};
  const auto end = std::to_chars(layouts.begin(), layouts.end(), abi.fingerprint, 16).ptr;
  return "version " + std::to_string(abi.sdk_version) + " of the SDK, layouts " +
         std::string(layouts.begin(), end) + ", " + Text(abi.standard_library) + ", " +
         Text(abi.compiler);
}

void RequireOptions(const std::string& where, const std::vector<OptionSpec>& options) {
  std::set<std::string_view> names;
  for (const OptionSpec& option : options) {
    const std::string message = where + " an option named '" + option.name + "', ";
    if (!IsIdentifier(option.name)) {
      throw std::runtime_error(message + "expected letters, digits and _, a letter first");
    }
    if (!names.insert(option.name).second) throw std::runtime_error(message + "twice");
    if (!option.Allows(option.default_value)) {
      throw std::runtime_error(
          message + "whose default value is not among those that it takes: " + option.Expected());
    }
  }
}

}  // namespace

const Family& LoadFamily(const std::string& path) {
  // Never closed: environments and exceptions of it may outlive any one user.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror() + std::string(kAdvice));
  const void* abi = dlsym(library, "envpool_abi");
  using Door = const Family* (*)();
  const auto door = reinterpret_cast<Door>(dlsym(library, "envpool_family"));
  if (abi == nullptr || door == nullptr) {
    throw std::runtime_error(
        path + (door == nullptr
                    ? " is no library of environments: it does not include envpool/family.h"
                    : " was built for version 9 or earlier of the SDK, this is version " +
                          std::to_string(kSdkVersion) + kAdvice));
  }
  RequireSameAbi(path, Copy(abi));
  const Family& family = *door();
  RequireWhole(path, family);
  return family;
}

void RequireSameAbi(const std::string& path, const Abi& theirs) {
  if (std::memcmp(theirs.magic, kOurs.magic, sizeof(kOurs.magic)) != 0) {
    throw std::runtime_error(path + " is no library of environments: its envpool_abi is another's");
  }
  const bool same_library = Text(theirs.standard_library) == Text(kOurs.standard_library);
  if (theirs.sdk_version == kOurs.sdk_version && theirs.size == kOurs.size && same_library &&
      theirs.fingerprint == kOurs.fingerprint) {
    return;
  }
  std::string reason;
  if (theirs.sdk_version == kOurs.sdk_version) {
    reason = same_library ? ". The headers that it was built with are not those of that version"
                          : ". With other standard libraries, or settings of one, neither side can "
                            "read the other's strings";
  }
  throw std::runtime_error(path + " was built for " + Describe(theirs) + "; this envpool for " +
                           Describe(kOurs) + reason + kAdvice);
}

void RequireWhole(const std::string& path, const Family& family) {
  if (!family.failure.empty()) {
    throw std::runtime_error(path + " could not register its environments: " + family.failure);
  }
  if (family.types.empty()) {
    throw std::runtime_error(path + " has no environments: the file of each ends with Register");
  }
  RequireOptions(path + " has, among its settings,", family.settings);
  std::set<std::string_view> names;
  for (const EnvType& type : family.types) {
    const std::string which = path + " has an environment named '" + type.name + "'";
    if (!IsIdentifier(type.name)) {
      throw std::runtime_error(which + ", expected letters, digits and _, a letter first");
    }
    if (!names.insert(type.name).second) throw std::runtime_error(which + " twice");
    if (!type.spec) throw std::runtime_error(which + " without a spec: .spec = Walk::MakeSpec");
    if (!type.create) throw std::runtime_error(which + " without create: .create = Create<Walk>");
    RequireOptions(which + " with", type.options);
    RequireOptions(which + " with, for resets,", type.reset_options);
    if (Options(type.reset_options).Has(kResetMask)) {
      throw std::runtime_error(which + " with, for resets, an option named '" + kResetMask +
                               "', which all pools have themselves");
    }
  }
}

std::string DescribeThisAbi() { return Describe(kOurs); }

}  // namespace envpool
