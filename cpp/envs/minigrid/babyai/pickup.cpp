// Levels of BabyAI in which the agent picks something up. Follow minigrid/envs/babyai/pickup.py,
// whose PickupLoc is a LevelGen.
#include <optional>
#include <vector>

#include "minigrid/babyai/room_grid_level.h"

namespace envpool::minigrid::babyai {
namespace {

struct Pickup : MazeLevel {
  using MazeLevel::MazeLevel;

  void GenerateMission() override {
    PlaceAgentInRoom();
    ConnectAll();
    const std::vector<Handle> objects = AddDistractors({}, {}, 18, false);
    CheckObjectsReachable();
    instruction_ = Clause::Pickup(Like(RandElem(objects)));
  }
};

struct UnblockPickup : MazeLevel {
  using MazeLevel::MazeLevel;

  void GenerateMission() override {
    PlaceAgentInRoom();
    ConnectAll();
    const std::vector<Handle> objects = AddDistractors({}, {}, 20, false);
    if (AreObjectsReachable()) throw Rejected("no object bars the agent's way");
    instruction_ = Clause::Pickup(Like(RandElem(objects)));
  }
};

class PickupDist : public RoomsLevel<Layout{.room_size = 7, .rows = 1, .columns = 1}> {
 public:
  using RoomsLevel::RoomsLevel;

  void GenerateMission() override {
    const std::vector<Handle> objects = AddDistractors({}, {}, 5);
    PlaceAgentInRoom(0, 0);
    const Object& object = grid_[RandElem(objects)];
    switch (RandInt(0, 3)) {
      case 0: Ask({object.type, std::nullopt}); break;
      case 1: Ask({std::nullopt, object.color}); break;
      default: Ask({object.type, object.color}); break;
    }
  }

 private:
  void Ask(const Description& object) {
    instruction_ = Clause::Pickup(object, options_.Flag("debug"));
  }
};

struct PickupAbove : RoomsLevel<Layout{.room_size = 6}, 8> {
  using RoomsLevel::RoomsLevel;

  void GenerateMission() override {
    const Handle object = AddObject(1, 0);
    AddDoor(1, 1, 3, {}, false);
    PlaceAgentInRoom(1, 1);
    ConnectAll();
    instruction_ = Clause::Pickup(Like(object));
  }
};

[[maybe_unused]] const bool registered = [] {
  RegisterRooms<Pickup>("BabyAIPickup", MazeOptions());
  RegisterRooms<UnblockPickup>("BabyAIUnblockPickup", MazeOptions());
  RegisterRooms<PickupDist>("BabyAIPickupDist", {{"debug", false, "another object is a failure"}});
  RegisterRooms<PickupAbove>("BabyAIPickupAbove");
  return true;
}();

}  // namespace
}  // namespace envpool::minigrid::babyai
