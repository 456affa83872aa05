// Map: a level that its user has written as text.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "minigrid/level.h"
#include "minigrid/map.h"

namespace envpool::minigrid {
namespace {

using Lines = std::vector<std::string>;

const Lines& LinesOf(const Options& options) { return options.Get<Lines>("map"); }

// Returns a room with a key, and behind the door another one with the goal.
Lines Example() {
  return {"################",  // which keeps the lines below one another
          "##>>....##....##",  //
          "##..KY..LY....##",  //
          "##......##..GG##",  //
          "################"};
}

class OwnMap final : public GridWorld {
 public:
  explicit OwnMap(const Options& options)
      : GridWorld(options, SizeOf(options), 4 * SizeOf(options).width * SizeOf(options).height),
        map_(LinesOf(options)),
        own_mission_(options.Text("mission")) {
    const auto is_printable = [](char c) { return ' ' <= c && c <= '~'; };
    if (!std::ranges::all_of(own_mission_, is_printable)) {
      throw std::invalid_argument("mission is '" + own_mission_ +
                                  "', expected printable ASCII characters");
    }
  }

  static Size SizeOf(const Options& options) { return Map::SizeOf(LinesOf(options)); }

  void Reset(Random& random, const Options& options) override {
    const Lines& lines = LinesOf(options);
    if (!lines.empty()) RequireSize(Map::SizeOf(lines));
    chosen_ = lines.empty() ? nullptr : std::make_unique<const Map>(lines);
    GridWorld::Reset(random, options);
  }

  void Generate() override {
    agent_ = (chosen_ ? *chosen_ : map_).PlaceIn(grid_);
    mission_ = own_mission_;
  }

 private:
  void RequireSize(Size size) const {
    if (size.width == grid_.Width() && size.height == grid_.Height()) return;
    throw std::invalid_argument("map has " + std::to_string(size.height) + " rows and " +
                                std::to_string(size.width) + " columns of cells, expected " +
                                std::to_string(grid_.Height()) + " and " +
                                std::to_string(grid_.Width()) + ", as the environment's has");
  }

  const Map map_;
  std::unique_ptr<const Map> chosen_;  // by the last reset, if it was given one
  const std::string own_mission_;
};

[[maybe_unused]] const bool registered = RegisterLevel<OwnMap>(
    "MiniGridMap",
    {{"map", Example(), "rows of cells, each of two characters: docs/minigrid.md has them"},
     {"mission", "get to the green goal square", "what the agent is told to do"}},
    {.reset_options = {{"map", Lines(),
                        "of the episode, of the same size; nothing: the usual one"}},
     .check_reset_options = [](const Options& options) {
       if (!LinesOf(options).empty()) Map(LinesOf(options));
     }});

}  // namespace
}  // namespace envpool::minigrid
