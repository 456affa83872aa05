// GoToDoor and GoToObject: say "done" beside the door or object that the mission names. Follow
// minigrid/envs/gotodoor.py and gotoobject.py.
#include <algorithm>
#include <array>
#include <vector>

#include "minigrid/level.h"

namespace envpool::minigrid {
namespace {

class GoTo : public SquareWorld {
 protected:
  using SquareWorld::SquareWorld;

  StepResult Act(Move move) override {
    StepResult result = GridWorld::Act(move);
    if (move == Move::kToggle) result.terminated = true;
    if (move == Move::kDone) {
      if (IsBeside(target_)) result.reward = Reward();
      result.terminated = true;
    }
    return result;
  }

  void SerializeLevel(Archive& archive) override { target_.Serialize(archive, grid_.InCells()); }

  Point target_;
};

class GoToDoor final : public GoTo {
 public:
  explicit GoToDoor(const Options& options) : GoTo(options, 4) {}

  void Generate() override {
    const int width = RandInt(5, grid_.Width() + 1);
    const int height = RandInt(5, grid_.Height() + 1);
    grid_.WallRect({0, 0}, {width, height});
    std::array<Point, 4> doors;
    doors[0] = {RandInt(2, width - 2), 0};
    doors[1] = {RandInt(2, width - 2), height - 1};
    doors[2] = {0, RandInt(2, height - 2)};
    doors[3] = {width - 1, RandInt(2, height - 2)};
    std::vector<Color> colors;
    while (colors.size() < doors.size()) {
      const Color color = RandColor();
      if (std::ranges::find(colors, color) == colors.end()) colors.push_back(color);
    }
    for (std::size_t i = 0; i < doors.size(); ++i) grid_.Set(doors[i], grid_.MakeDoor(colors[i]));
    PlaceAgent({{0, 0}, {width, height}});
    const auto chosen = static_cast<std::size_t>(RandInt(0, 4));
    target_ = doors[chosen];
    mission_ = std::string("go to the ").append(NameOf(colors[chosen])).append(" door");
    mission_id_ = static_cast<std::int32_t>(colors[chosen]);
  }
};

class GoToObject final : public GoTo {
 public:
  explicit GoToObject(const Options& options)
      : GoTo(options, 5), count_(static_cast<std::size_t>(options.Integer("num_objs"))) {}

  void Generate() override {
    grid_.WallRect({0, 0}, {grid_.Width(), grid_.Height()});
    std::vector<Thing> things;
    std::vector<Point> places;
    while (things.size() < count_) {
      const Thing thing = RandThing();
      if (std::ranges::find(things, thing) != things.end()) continue;
      places.push_back(PlaceObj(grid_.Make(thing)));
      things.push_back(thing);
    }
    PlaceAgent();
    const auto chosen = static_cast<std::size_t>(RandInt(0, static_cast<int>(count_)));
    target_ = places[chosen];
    mission_ = "go to the " + things[chosen].Name();
    mission_id_ = things[chosen].Number();
  }

 private:
  const std::size_t count_;
};

[[maybe_unused]] const bool registered = [] {
  RegisterLevel<GoToDoor>("MiniGridGoToDoor", {SizeOption(5, 5)}, {.sees_through_walls = true});
  RegisterLevel<GoToObject>(
      "MiniGridGoToObject",
      {SizeOption(6, 4), {"num_objs", 2, "how many objects there are", {1, 18}}},
      {.sees_through_walls = true});
  return true;
}();

}  // namespace
}  // namespace envpool::minigrid
