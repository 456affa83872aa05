// KeyCorridor: find a key, and behind the door that it opens an object. Follows
// minigrid/envs/keycorridor.py.
#include <algorithm>
#include <string>

#include "minigrid/level.h"
#include "minigrid/pickup.h"

namespace envpool::minigrid {
namespace {

class KeyCorridor final : public Pickup {
 public:
  explicit KeyCorridor(const Options& options)
      : Pickup(options, LayoutOf(options),
               30 * IntOf(options, "room_size") * IntOf(options, "room_size")),
        type_(ThingOf(options.Text("obj_type"))) {}

  static Size SizeOf(const Options& options) { return LayoutOf(options).InCells(); }

  void Generate() override {
    RoomGrid::Generate();
    for (int j = 1; j < layout_.rows; ++j) RemoveWall(1, j, 3);
    const int row = RandInt(0, layout_.rows);
    const Handle door = AddDoor(2, row, 2, {}, true);
    const Handle object = AddObject(2, row, type_);
    AddObject(0, RandInt(0, layout_.rows), Type::kKey, grid_[door].color);
    PlaceAgentInRoom(1, layout_.rows / 2);
    ConnectAll();
    AskFor(object);
  }

 private:
  static Layout LayoutOf(const Options& options) {
    return {.room_size = IntOf(options, "room_size"), .rows = IntOf(options, "num_rows")};
  }

  static Type ThingOf(const std::string& name) {
    return *std::ranges::find(kThings, name, [](Type type) { return NameOf(type); });
  }

  const Type type_;
};

[[maybe_unused]] const bool registered = RegisterLevel<KeyCorridor>(
    "MiniGridKeyCorridor",
    {{"num_rows", 3, "rows of rooms", {1, 20}},
     {"room_size", 6, "columns and rows of a room, walls included", {3, 20}},
     {"obj_type", "ball", "what is to be picked up", {}, {"key", "ball", "box"}}});

}  // namespace
}  // namespace envpool::minigrid
