// Levels of BabyAI in which the agent picks something up. Follow minigrid/envs/babyai/pickup.py,
// whose PickupLoc is a LevelGen.
#include <optional>
#include <vector>

#include "minigrid/babyai/room_grid_level.h"

namespace envpool::minigrid::babyai {
namespace {

class Pickup : public RoomGridLevel {
 public:
  explicit Pickup(const Options& options) : RoomGridLevel(options, LayoutOf(options)) {}

  static Layout LayoutOf(const Options& options) { return MazeOf(options); }

  void GenerateMission() override {
    PlaceAgentInRoom();
    ConnectAll();
    const std::vector<Handle> objects = AddDistractors({}, {}, 18, false);
    CheckObjectsReachable();
    instruction_ = Clause::Pickup(Like(RandElem(objects)));
  }
};

class UnblockPickup : public RoomGridLevel {
 public:
  explicit UnblockPickup(const Options& options) : RoomGridLevel(options, LayoutOf(options)) {}

  static Layout LayoutOf(const Options& options) { return MazeOf(options); }

  void GenerateMission() override {
    PlaceAgentInRoom();
    ConnectAll();
    const std::vector<Handle> objects = AddDistractors({}, {}, 20, false);
    if (AreObjectsReachable()) throw Rejected("no object bars the agent's way");
    instruction_ = Clause::Pickup(Like(RandElem(objects)));
  }
};

class PickupDist : public RoomGridLevel {
 public:
  explicit PickupDist(const Options& options)
      : RoomGridLevel(options, LayoutOf(options)), is_strict_(options.Flag("debug")) {}

  static Layout LayoutOf(const Options&) { return {.room_size = 7, .rows = 1, .columns = 1}; }

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
  void Ask(const Description& object) { instruction_ = Clause::Pickup(object, is_strict_); }

  const bool is_strict_;
};

class PickupAbove : public RoomGridLevel {
 public:
  explicit PickupAbove(const Options& options)
      : RoomGridLevel(options, kLayout, StepsFor(kLayout, 8)) {}

  static Layout LayoutOf(const Options&) { return kLayout; }

  void GenerateMission() override {
    const Handle object = AddObject(1, 0);
    AddDoor(1, 1, 3, {}, false);
    PlaceAgentInRoom(1, 1);
    ConnectAll();
    instruction_ = Clause::Pickup(Like(object));
  }

 private:
  static constexpr Layout kLayout = {.room_size = 6};
};

[[maybe_unused]] const bool registered_pickup =
    RegisterRooms<Pickup>("BabyAIPickup", MazeOptions());

[[maybe_unused]] const bool registered_unblock =
    RegisterRooms<UnblockPickup>("BabyAIUnblockPickup", MazeOptions());

[[maybe_unused]] const bool registered_dist = RegisterRooms<PickupDist>(
    "BabyAIPickupDist", {{"debug", false, "another object is a failure"}});

[[maybe_unused]] const bool registered_above = RegisterRooms<PickupAbove>("BabyAIPickupAbove");

}  // namespace
}  // namespace envpool::minigrid::babyai
