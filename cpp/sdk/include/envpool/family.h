// Register, and the door through which a library of environments is found.
//
// An environment's file ends with
//
//   const bool registered = envpool::Register({.name = "CartPole", .spec = ..., .create = ...});
//
// and the library is loaded with dlopen, so that a family whose engine is missing cannot keep the
// others from loading. The door needs no Python: one library serves every version of it.
#pragma once

// clang-format off
#include "envpool/platform.h"  // first, because what follows does not compile elsewhere
// clang-format on

#include <concepts>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/abi.h"
#include "envpool/env_type.h"

namespace envpool {

// The functions below are hidden, because the linker would otherwise merge the families of all
// libraries into one.

[[gnu::visibility("hidden")]] inline Family& ThisFamily() {
  static Family family;
  return family;
}

// Catches an exception, which would end the process while a library is loaded: the failure is told
// at the door instead.
[[gnu::visibility("hidden")]] inline bool WhileLoading(const std::function<void()>& act) noexcept {
  std::string& failure = ThisFamily().failure;
  try {
    act();
    return true;
  } catch (const std::exception& error) {
    failure = error.what();
  } catch (...) {
    failure = "an exception that is no std::exception";
  }
  return false;
}

// `make` returns the EnvType, where that may fail: because it reads a file, say.
template <std::invocable Make>
[[gnu::visibility("hidden")]] inline bool Register(const Make& make) {
  return WhileLoading([&] { ThisFamily().types.push_back(make()); });
}

[[gnu::visibility("hidden")]] inline bool Register(EnvType type) {
  return Register([&] { return std::move(type); });
}

// Registers a library's settings; called at most once.
[[gnu::visibility("hidden")]] inline bool RegisterSettings(
    std::vector<OptionSpec> settings, std::function<void(const Options& settings)> configure) {
  return WhileLoading([&] {
    if (ThisFamily().configure) throw std::logic_error("RegisterSettings was called twice");
    ThisFamily().settings = std::move(settings);
    ThisFamily().configure = std::move(configure);
  });
}

}  // namespace envpool

// The door: looked up by these names after dlopen.
extern "C" {
// The Abi is weak, as every file has it, but not inline: of inline variables, the dynamic linker
// makes one for all libraries of a process.
[[gnu::weak, gnu::visibility("default")]] extern const envpool::Abi envpool_abi;
const envpool::Abi envpool_abi = envpool::ThisAbi();

// The door to the family, only for those whose Abi is the same.
[[gnu::visibility("default"), gnu::used]] inline const envpool::Family* envpool_family() {
  return &envpool::ThisFamily();
}
}
