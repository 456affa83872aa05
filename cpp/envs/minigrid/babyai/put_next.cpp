// Levels of BabyAI in which the agent puts an object next to another. Follow
// minigrid/envs/babyai/putnext.py.
#include <utility>
#include <vector>

#include "minigrid/babyai/room_grid_level.h"

namespace envpool::minigrid::babyai {
namespace {

struct PutNextLocal : RoomsLevel<Layout{.room_size = kSizeOfOption, .rows = 1, .columns = 1}> {
  using RoomsLevel::RoomsLevel;

  void GenerateMission() override {
    PlaceAgentInRoom();
    const std::vector<Handle> objects = AddDistractors({}, {}, IntOf(options_, "num_objs"));
    CheckObjectsReachable();
    const std::vector<Handle> drawn = RandSubset(objects, 2);
    instruction_ = Clause::PutNext(Like(drawn[0]), Like(drawn[1]));
  }
};

class PutNext : public RoomsLevel<Layout{.room_size = kSizeOfOption, .rows = 1, .columns = 2}, 8> {
 public:
  explicit PutNext(const Options& options)
      : RoomsLevel(options),
        objects_per_room_(IntOf(options, "objs_per_room")),
        starts_carrying_(options.Flag("start_carrying")) {}

  void GenerateMission() override {
    PlaceAgentInRoom(0, 0);
    const std::vector<Handle> left = AddDistractors(0, 0, objects_per_room_);
    const std::vector<Handle> right = AddDistractors(1, 0, objects_per_room_);
    RemoveWall(0, 0, 0);
    object_ = RandElem(left);
    Handle fixed = RandElem(right);
    if (RandBool()) std::swap(object_, fixed);
    instruction_ = Clause::PutNext(Like(object_), Like(fixed));
  }

  // Gives the agent the object, which does not learn that it is nowhere now.
  void Reset(Random& random, const Options& options) override {
    RoomGridLevel::Reset(random, options);
    if (!starts_carrying_) return;
    grid_.Set(grid_[object_].Position(), kNone);
    agent_.carrying = object_;
  }

  // Upstream gives the object only after the first observation, which still shows it in its room.
  // Upstream's wrappers look at the world later.
  void Observe(const Row& row) const override {
    if (!starts_carrying_ || step_count_ > 0 || !ShowsOnlyView()) {
      RoomGridLevel::Observe(row);
      return;
    }
    Grid before = grid_;
    before.Set(grid_[object_].Position(), object_);
    Pose agent = agent_;
    agent.carrying = kNone;
    ObserveAs(before, agent, row);
  }

 private:
  void SerializeLevel(Archive& archive) override {
    RoomGridLevel::SerializeLevel(archive);
    archive.Index(object_, grid_.Objects());
  }

  const int objects_per_room_;
  const bool starts_carrying_;
  Handle object_ = kNone;  // that is to be moved
};

[[maybe_unused]] const bool registered = [] {
  RegisterRooms<PutNextLocal>(
      "BabyAIPutNextLocal",
      {RoomSizeOption(8), {"num_objs", 8, "how many objects there are", {2, 18}}});
  RegisterRooms<PutNext>(
      "BabyAIPutNext",
      {RoomSizeOption(5),
       {"objs_per_room", 1, "how many objects there are in each of the two rooms", {1, 9}},
       {"start_carrying", false, "the agent has the object from the first step on"}});
  return true;
}();

}  // namespace
}  // namespace envpool::minigrid::babyai
