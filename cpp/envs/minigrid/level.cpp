#include "minigrid/level.h"

#include <algorithm>
#include <stdexcept>

namespace envpool::minigrid {

std::vector<OptionSpec> LevelOptions(std::vector<OptionSpec> own, LevelTraits traits) {
  const std::vector<OptionSpec> shared = {
      {"max_steps",
       0,
       "after how many steps an episode is truncated; 0: the level's own limit",
       {0, 1e9}},
      {"agent_view_size",
       7,
       "columns and rows of what the agent sees, an odd number",
       {3, kLargestView}},
      {"see_through_walls", traits.sees_through_walls, "walls and doors hide nothing"},
      {"tile_size", 32, "pixels in a row or column of a picture's cell", {1, kLargestTile}},
      {"highlight", true, "pictures show what the agent sees"},
      {"agent_pov", false, "pictures show only what the agent sees"},
      {"mission_bytes",
       traits.mission_bytes,
       "the length of a mission as an array of bytes",
       {double(traits.mission_bytes), 65536}},
  };
  own.insert(own.end(), shared.begin(), shared.end());
  return own;
}

FrameSize PictureSize(const Options& options, Size grid) {
  const PictureStyle style = {.shows_view = options.Flag("agent_pov")};
  const Size tiles = style.Tiles(grid, IntOf(options, "agent_view_size"));
  const int tile = IntOf(options, "tile_size");
  return {tiles.width * tile, tiles.height * tile};
}

Spec LevelSpec(const Options& options, Size size, LevelTraits traits) {
  const int view = IntOf(options, "agent_view_size");
  if (view % 2 == 0) {
    throw std::invalid_argument("agent_view_size is " + std::to_string(view) +
                                ", expected an odd number: the agent is in the middle");
  }
  return {
      .observation_structure = Structure::kDict,
      .observation = {Discrete("direction", 4),
                      Box("image", DType::kUInt8, {view, view, 3}, {0}, {255}),
                      Box("mission", DType::kUInt8, {IntOf(options, "mission_bytes")}, {0}, {255})},
      .action = {Discrete("action", traits.moves)},
      .info = {
          Box("agent_pos", DType::kInt32, {2}, {0}, {double(std::max(size.width, size.height))}),
          Box("mission_id", DType::kInt32, {}, {-1}, {kMostMissions})}};
}

}  // namespace envpool::minigrid
