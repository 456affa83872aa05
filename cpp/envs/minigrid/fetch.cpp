// Fetch: pick up an object of the kind that the mission names. Follows minigrid/envs/fetch.py.
#include <array>
#include <string>
#include <vector>

#include "minigrid/level.h"

namespace envpool::minigrid {
namespace {

class Fetch final : public SquareWorld {
 public:
  explicit Fetch(const Options& options)
      : SquareWorld(options, 5), count_(IntOf(options, "num_objs")) {}

  void Generate() override {
    grid_.WallRect({0, 0}, {grid_.Width(), grid_.Height()});
    std::vector<Thing> things;
    for (int i = 0; i < count_; ++i) {
      const Type type = RandElem(std::array{Type::kKey, Type::kBall});
      const Color color = RandColor();
      PlaceObj(grid_.Make(type, color));
      things.push_back({type, color});
    }
    PlaceAgent();
    target_ = RandElem(things);
    static constexpr std::array<const char*, 5> kRequests = {"get a ", "go get a ", "fetch a ",
                                                             "go fetch a ", "you must fetch a "};
    const int request = RandInt(0, 5);
    mission_ = kRequests[static_cast<std::size_t>(request)] + target_.Name();
    mission_id_ =
        (request * 6 + static_cast<int>(target_.color)) * 2 + (target_.type == Type::kBall ? 1 : 0);
  }

 private:
  StepResult Act(Move move) override {
    StepResult result = GridWorld::Act(move);
    if (agent_.carrying != kNone) End(result, Carried().Kind() == target_ ? Reward() : 0.0);
    return result;
  }

  void SerializeLevel(Archive& archive) override { archive(target_); }

  const int count_;
  Thing target_;
};

[[maybe_unused]] const bool registered = RegisterLevel<Fetch>(
    "MiniGridFetch", {SizeOption(8, 4), {"num_objs", 3, "how many objects there are", {1, 1000}}},
    {.sees_through_walls = true});

}  // namespace
}  // namespace envpool::minigrid
