// Family: a shared library of environments, and the one door through which they are found.
//
// An environment's file ends with
//
//   const bool registered = envpool::Register({.name = "CartPole", .spec = ..., .create = ...});
//
// and the library is loaded with dlopen, so that a family whose engine is missing cannot keep the
// others from loading. The door needs no Python: one library serves every version of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envpool/env.h"
#include "envpool/options.h"
#include "envpool/spec.h"

namespace envpool {

// Raised by one whenever a type of this SDK changes its layout or meaning.
inline constexpr int kSdkVersion = 8;

struct FrameSize {
  int width = 0;
  int height = 0;
};

struct EnvType {
  std::string name;
  // Of make(...). One that has the name of an option that all pools have, such as render_width,
  // gets that one's value, and its default here is the default there.
  std::vector<OptionSpec> options = {};
  std::vector<OptionSpec> reset_options = {};  // of reset(options=...)
  // Throws std::invalid_argument for reset options that don't go together; may be left out.
  void (*check_reset_options)(const Options& options) = nullptr;
  Spec (*spec)(const Options& options) = nullptr;
  std::unique_ptr<Env> (*create)(const Options& options) = nullptr;
  std::uint32_t state_version = 1;  // raise it when Serialize changes: old snapshots are refused
  // The size of a picture unless the caller wants another; left out if there are none.
  FrameSize (*frame_size)(const Options& options) = nullptr;
  // How many steps make a second of the environment's time, for videos; may be left out.
  double (*render_fps)(const Options& options) = nullptr;
};

template <class T>
std::unique_ptr<Env> Create(const Options& options) {
  return std::make_unique<T>(options);
}

struct Family {
  int sdk_version = kSdkVersion;
  std::vector<EnvType> types;
};

// Hidden, because the linker would otherwise merge the families of all libraries into one.
[[gnu::visibility("hidden")]] inline Family& ThisFamily() {
  static Family family;
  return family;
}

[[gnu::visibility("hidden")]] inline bool Register(EnvType type) {
  ThisFamily().types.push_back(std::move(type));
  return true;
}

}  // namespace envpool

// The door: looked up by this name after dlopen.
extern "C" [[gnu::visibility("default"), gnu::used]] inline const envpool::Family*
envpool_family() {
  return &envpool::ThisFamily();
}
