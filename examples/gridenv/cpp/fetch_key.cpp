// FetchKey: two rooms, and an instruction as BabyAI's levels have them.
#include "minigrid/babyai/room_grid_level.h"

namespace {

using namespace envpool;
using namespace envpool::minigrid;
using namespace envpool::minigrid::babyai;

class FetchKey : public RoomGridLevel {
 public:
  explicit FetchKey(const Options& options) : RoomGridLevel(options, LayoutOf(options)) {}

  // One row of two rooms.
  static Layout LayoutOf(const Options& options) { return RoomsOf(options, 1, 2); }

  // The walls are there. Drawn again until it succeeds, should it throw Rejected.
  void GenerateMission() override {
    const Handle door = AddDoor(0, 0, 0, {}, true);
    const Handle key = AddObject(0, 0, Type::kKey, grid_[door].color);
    AddDistractors(0, 0, 2);
    PlaceAgentInRoom(0, 0);
    instruction_ = Instruction::Before(Clause::Pickup(Like(key)), Clause::Open(Like(door)));
  }
};

[[maybe_unused]] const bool registered = RegisterRooms<FetchKey>("FetchKey", {RoomSizeOption(6)});

}  // namespace
