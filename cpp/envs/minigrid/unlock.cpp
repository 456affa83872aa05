// Unlock, UnlockPickup and BlockedUnlockPickup: two rooms with a locked door between them. Follow
// minigrid/envs/unlock.py, unlockpickup.py and blockedunlockpickup.py.
#include "minigrid/level.h"
#include "minigrid/pickup.h"

namespace envpool::minigrid {
namespace {

constexpr Layout kTwoRooms = {.room_size = 6, .rows = 1, .columns = 2};

class Unlock final : public RoomGrid {
 public:
  explicit Unlock(const Options& options) : RoomGrid(options, kTwoRooms, 8 * 6 * 6) {}

  static Size SizeOf(const Options&) { return kTwoRooms.InCells(); }

  void Generate() override {
    RoomGrid::Generate();
    door_ = AddDoor(0, 0, 0, {}, true);
    AddObject(0, 0, Type::kKey, grid_[door_].color);
    PlaceAgentInRoom(0, 0);
    mission_ = "open the door";
  }

 private:
  StepResult Act(Move move) override {
    StepResult result = RoomGrid::Act(move);
    if (move == Move::kToggle && grid_[door_].state == DoorState::kOpen) End(result, Reward());
    return result;
  }

  void SerializeLevel(Archive& archive) override { archive.Index(door_, grid_.Objects()); }

  Handle door_ = kNone;
};

// UnlockPickup, and if a ball is before the door, BlockedUnlockPickup.
template <bool kIsBlocked>
class UnlockPickup final : public Pickup {
 public:
  explicit UnlockPickup(const Options& options)
      : Pickup(options, kTwoRooms, (kIsBlocked ? 16 : 8) * 6 * 6) {}

  static Size SizeOf(const Options&) { return kTwoRooms.InCells(); }

  void Generate() override {
    RoomGrid::Generate();
    const Handle box = AddObject(1, 0, Type::kBox);
    const Handle door = AddDoor(0, 0, 0, {}, true);
    if (kIsBlocked) {
      const Color color = RandColor();
      grid_.Set(grid_[door].Position() - Point{1, 0}, grid_.Make(Type::kBall, color));
    }
    AddObject(0, 0, Type::kKey, grid_[door].color);
    PlaceAgentInRoom(0, 0);
    AskFor(box);
    if (!kIsBlocked) mission_id_ = static_cast<std::int32_t>(grid_[box].color);
  }
};

[[maybe_unused]] const bool registered = [] {
  RegisterLevel<Unlock>("MiniGridUnlock");
  RegisterLevel<UnlockPickup<false>>("MiniGridUnlockPickup");
  RegisterLevel<UnlockPickup<true>>("MiniGridBlockedUnlockPickup");
  return true;
}();

}  // namespace
}  // namespace envpool::minigrid
