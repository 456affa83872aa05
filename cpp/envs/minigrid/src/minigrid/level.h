// RegisterLevel makes a level an environment: its options, its spec and its place in the family.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envpool/family.h"
#include "minigrid/grid_world.h"

namespace envpool::minigrid {

struct LevelTraits {
  bool sees_through_walls = false;  // unless the option says otherwise
  int moves = 7;                    // how many of them an agent has
  MissionLimits mission = kMiniGridMissions;
  std::vector<OptionSpec> reset_options = {};                                 // as in EnvType
  std::function<void(const Options& options)> check_reset_options = nullptr;  // likewise
};

// Returns the level's own options, and those of all levels.
std::vector<OptionSpec> LevelOptions(std::vector<OptionSpec> own, LevelTraits traits);

// Returns a level's spec. Throws std::invalid_argument for options that no level has.
Spec LevelSpec(const Options& options, Size size, LevelTraits traits);

FrameSize PictureSize(const Options& options, Size grid);

// Returns a square of `size` cells, for levels that have that option.
inline Size SquareOf(const Options& options) {
  return {IntOf(options, "size"), IntOf(options, "size")};
}

// Returns the same for a level that needs a cell in the middle. Throws std::invalid_argument if
// there is none.
Size OddSquareOf(const Options& options);

// A SquareWorld is such a square.
class SquareWorld : public GridWorld {
 public:
  static Size SizeOf(const Options& options) { return SquareOf(options); }

 protected:
  // The level's own limit is `steps` for each cell.
  SquareWorld(const Options& options, int steps)
      : GridWorld(options, SquareOf(options),
                  steps * IntOf(options, "size") * IntOf(options, "size")) {}
};

// Returns the option `size` of at least `least` cells.
inline OptionSpec SizeOption(int size, int least) {
  return {"size", size, "columns and rows of the grid", {double(least), 200}};
}

// Makes an environment. Throws std::invalid_argument if its options make no level.
template <class Level>
std::unique_ptr<Env> CreateLevel(const char* name, const Options& options) {
  auto level = std::make_unique<Level>(options);
  level->TryOut(name);
  return level;
}

template <class Level>
[[gnu::visibility("hidden")]] bool RegisterLevel(const char* name, std::vector<OptionSpec> own = {},
                                                 LevelTraits traits = {}) {
  return Register([&] {
    return EnvType{
        .name = name,
        .options = LevelOptions(std::move(own), traits),
        .reset_options = traits.reset_options,
        .check_reset_options = traits.check_reset_options,
        .spec =
            [traits](const Options& options) {
              return LevelSpec(options, Level::SizeOf(options), traits);
            },
        .create = [name](const Options& options) { return CreateLevel<Level>(name, options); },
        .memory =
            [](const Options& options) { return Bonus::BytesOf(options, Level::SizeOf(options)); },
        .state_version = 2,
        .frame_size =
            [](const Options& options) { return PictureSize(options, Level::SizeOf(options)); },
        .render_fps = [](const Options&) { return 10.0; },
    };
  });
}

}  // namespace envpool::minigrid
