// PutNear: put an object near another one. Follows minigrid/envs/putnear.py.
#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "minigrid/level.h"

namespace envpool::minigrid {
namespace {

bool AreNear(Point a, Point b) { return std::abs(a.x - b.x) <= 1 && std::abs(a.y - b.y) <= 1; }

class PutNear final : public GridWorld {
 public:
  explicit PutNear(const Options& options)
      : GridWorld(options, SizeOf(options), 5 * IntOf(options, "size")),
        count_(IntOf(options, "num_objs")) {}

  static Size SizeOf(const Options& options) { return SquareOf(options); }

  void Generate() override {
    grid_.WallRect({0, 0}, {grid_.Width(), grid_.Height()});
    std::vector<Thing> things;
    std::vector<Point> places;
    const auto is_near_others = [&places](Point at) {
      return std::ranges::any_of(places, [at](Point other) { return AreNear(at, other); });
    };
    while (std::cmp_less(things.size(), count_)) {
      const Thing thing = RandThing();
      if (std::ranges::find(things, thing) != things.end()) continue;
      places.push_back(PlaceObj(grid_.Make(thing), is_near_others));
      things.push_back(thing);
    }
    PlaceAgent();
    const auto moved = static_cast<std::size_t>(RandInt(0, count_));
    auto target = moved;
    while (target == moved) target = static_cast<std::size_t>(RandInt(0, count_));
    moved_ = things[moved];
    target_ = places[target];
    mission_ = "put the " + moved_.Name() + " near the " + things[target].Name();
    mission_id_ = moved_.Number() * 18 + things[target].Number();
  }

 private:
  StepResult Act(Move move) override {
    const Handle carried = agent_.carrying;
    StepResult result = GridWorld::Act(move);
    if (move == Move::kPickup && agent_.carrying != kNone && Carried().Kind() != moved_) {
      result.terminated = true;
    }
    if (move == Move::kDrop && carried != kNone) {
      const Point front = agent_.Front();
      if (grid_.At(front) == carried && AreNear(front, target_)) result.reward = Reward();
      result.terminated = true;
    }
    return result;
  }

  void SerializeLevel(Archive& archive) override {
    archive(moved_);
    target_.Serialize(archive, grid_.InCells());
  }

  const int count_;
  Thing moved_;
  Point target_;
};

[[maybe_unused]] const bool registered = RegisterLevel<PutNear>(
    "MiniGridPutNear", {SizeOption(6, 5), {"num_objs", 2, "how many objects there are", {2, 18}}},
    {.sees_through_walls = true});

}  // namespace
}  // namespace envpool::minigrid
