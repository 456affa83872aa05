// The interface in C of libraries of environments, version 1: gym3's libenv.h, as far as it is
// used.
#pragma once

#include <cstdint>

namespace envpool::procgen {

using Handle = void;  // of one or more games that are stepped together

enum class OptionType : std::int32_t { kUInt8 = 1, kInt32 = 2 };

struct LibenvOption {
  char name[128];
  OptionType type;
  std::int32_t count;
  void* data;  // not kept
};

struct LibenvOptions {
  LibenvOption* items;
  std::int32_t count;
};

// Where a handle reads actions from and writes results to, for as long as it lives. The pointers to
// pointers have one for each field and game.
struct LibenvBuffers {
  void** observation;
  float* reward;
  std::uint8_t* first;  // 1 where the observation is the first one of an episode
  void** info;
  void** action;
};

// The functions that a library of Procgen's exports; it has no others.
struct Libenv {
  std::int32_t (*version)();
  Handle* (*make)(std::int32_t games, LibenvOptions options);
  void (*set_buffers)(Handle* handle, LibenvBuffers* buffers);
  void (*observe)(Handle* handle);
  void (*act)(Handle* handle);
  void (*close)(Handle* handle);
  // Writes a state and returns its length; `size` is how many bytes there are for it.
  std::int32_t (*get_state)(Handle* handle, std::int32_t game, char* state, std::int32_t size);
  void (*set_state)(Handle* handle, std::int32_t game, const char* state, std::int32_t size);
};

}  // namespace envpool::procgen
