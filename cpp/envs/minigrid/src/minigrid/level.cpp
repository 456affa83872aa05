#include "minigrid/level.h"

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace envpool::minigrid {

std::vector<OptionSpec> LevelOptions(std::vector<OptionSpec> own, LevelTraits traits) {
  own.push_back({"max_steps",
                 0,
                 "after how many steps an episode is truncated; 0: the level's own limit",
                 {0, 1e9}});
  for (OptionSpec& option : Observation::OptionsOf(traits.sees_through_walls, traits.mission)) {
    own.push_back(std::move(option));
  }
  own.push_back(
      {"tile_size", 32, "pixels in a row or column of a picture's cell", {1, kLargestTile}});
  own.push_back(Bonus::Option());
  own.push_back({"highlight", true, "pictures show what the agent sees"});
  own.push_back({"agent_pov", false, "pictures show only what the agent sees"});
  return own;
}

Size OddSquareOf(const Options& options) {
  const Size square = SquareOf(options);
  if (square.width % 2 == 0) {
    throw std::invalid_argument("size is " + std::to_string(square.width) +
                                ", expected an odd number");
  }
  return square;
}

FrameSize PictureSize(const Options& options, Size grid) {
  const PictureStyle style = {.shows_view = options.Flag("agent_pov")};
  const Size tiles = style.Tiles(grid, IntOf(options, "agent_view_size"));
  const int tile = IntOf(options, "tile_size");
  return {tiles.width * tile, tiles.height * tile};
}

Spec LevelSpec(const Options& options, Size size, LevelTraits traits) {
  // The bounds of infos are the same for all sizes, so that grids of several go into one pool.
  constexpr double kLargest = std::numeric_limits<std::int32_t>::max();
  Spec spec = {.action = {Discrete("action", traits.moves)},
               .info = {Box("agent_pos", DType::kInt32, {2}, {0}, {kLargest}),
                        Box("mission_id", DType::kInt32, {}, {-1}, {kMostMissions})}};
  Observation::Describe(options, size, traits.mission, spec);
  return spec;
}

}  // namespace envpool::minigrid
