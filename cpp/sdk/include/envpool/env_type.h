// EnvType: a kind of environment, as its library describes it; and Family, all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "envpool/env.h"
#include "envpool/options.h"
#include "envpool/spec.h"

namespace envpool {

// How many environments step together at most.
inline constexpr std::size_t kMostTurns = 8;

struct FrameSize {
  int width = 0;
  int height = 0;
};

struct EnvType {
  std::string name;
  // The options of make(...). One that has the name of an option that all pools have, such as
  // render_width, gets that one's value, and its default here is the default there.
  std::vector<OptionSpec> options = {};
  std::vector<OptionSpec> reset_options = {};  // of reset(options=...)
  // Throws std::invalid_argument for reset options that don't go together; may be left out.
  std::function<void(const Options& options)> check_reset_options = nullptr;
  std::function<Spec(const Options& options)> spec = nullptr;
  std::function<std::unique_ptr<Env>(const Options& options)> create = nullptr;
  // Returns how many bytes an environment holds at least, once it was reset, if that is much; may
  // be left out. Pools that would not fit into memory are refused.
  std::function<std::size_t(const Options& options)> memory = nullptr;
  // Does for each turn what Env::Step does, where that takes less time for several environments
  // than for one after the other; may be left out. Gets 2 to kMostTurns environments of this type,
  // and keeps what a step throws as the turn's failure. Which environments come together differs
  // from run to run: results must not depend on it.
  std::function<void(std::span<Turn> turns)> step_together = nullptr;
  std::uint32_t state_version = 1;  // raise it when Serialize changes: old snapshots are refused
  // Returns the size of a picture unless the caller wants another; left out if there are none.
  std::function<FrameSize(const Options& options)> frame_size = nullptr;
  // Returns how many steps make a second of the environment's time, for videos; may be left out.
  std::function<double(const Options& options)> render_fps = nullptr;
};

template <class T>
std::unique_ptr<Env> Create(const Options& options) {
  return std::make_unique<T>(options);
}

struct Family {
  std::vector<EnvType> types = {};
  // A library cannot find out these settings by itself, such as where files are: whoever loads it
  // calls `configure` with a value for each, before anything else.
  std::vector<OptionSpec> settings = {};
  std::function<void(const Options& settings)> configure = nullptr;
  std::string failure = {};  // what went wrong while the library registered all this, if anything
};

}  // namespace envpool
