// Engine: Procgen's own library, as it is in the official wheel, and the handles that it makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "procgen/libenv.h"

namespace envpool::procgen {

// An EngineOption is a flag, a number or a text, by the engine's name for it.
struct EngineOption {
  std::string name;
  OptionType type = OptionType::kInt32;
  std::int32_t number = 0;
  std::string text = {};

  static EngineOption Number(std::string name, std::int64_t value);
  static EngineOption Flag(std::string name, bool value);
  static EngineOption Text(std::string name, std::string value);
};

class Engine {
 public:
  // Returns the process's engine, which the first call loads. Throws std::runtime_error if it does
  // not load.
  static const Engine& Get();

  // Makes a handle of one game. The engine ends the process if it does not like the options, so
  // whoever gives them has checked them. The first call takes two seconds.
  Handle* Make(std::vector<EngineOption> options) const;

  // Returns where the game of a handle is, in procgen 0.10.7's library.
  static std::byte* GameOf(Handle* handle);

  const Libenv& Functions() const { return functions_; }

  // True if these bytes are where the library is loaded.
  bool Contains(const void* begin, std::size_t bytes) const;

 private:
  explicit Engine(const std::string& folder);

  Libenv functions_ = {};
  std::string asset_folder_;
};

}  // namespace envpool::procgen
