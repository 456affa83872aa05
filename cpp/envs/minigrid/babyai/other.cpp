// Further levels of BabyAI. Follow minigrid/envs/babyai/other.py.
#include <algorithm>
#include <string>
#include <vector>

#include "minigrid/babyai/room_grid_level.h"

namespace envpool::minigrid::babyai {
namespace {

struct ActionObjDoor : RoomsLevel<Layout{.room_size = 7}> {
  using RoomsLevel::RoomsLevel;

  void GenerateMission() override {
    std::vector<Handle> objects = AddDistractors(1, 1, 5);
    for (int i = 0; i < 4; ++i) objects.push_back(AddDoor(1, 1, {}, {}, false));
    PlaceAgentInRoom(1, 1);
    const Handle object = RandElem(objects);
    if (RandBool()) {
      instruction_ = Clause::GoTo(Like(object));
    } else if (grid_[object].type == Type::kDoor) {
      instruction_ = Clause::Open(Like(object));
    } else {
      instruction_ = Clause::Pickup(Like(object));
    }
  }
};

struct FindObj : RoomsLevel<Layout{.room_size = kSizeOfOption}, 20> {
  using RoomsLevel::RoomsLevel;

  void GenerateMission() override {
    const int i = RandInt(0, layout_.rows);
    const int j = RandInt(0, layout_.columns);
    const Handle object = AddObject(i, j);
    PlaceAgentInRoom(1, 1);
    ConnectAll();
    instruction_ = Clause::Pickup(Description(grid_[object].type));
  }
};

class KeyCorridor : public RoomGridLevel {
 public:
  explicit KeyCorridor(const Options& options)
      : RoomGridLevel(options, LayoutOf(options), StepsFor(LayoutOf(options), 30)),
        type_(*std::ranges::find(kThings, options.Text("obj_type"),
                                 [](Type type) { return NameOf(type); })) {}

  static Layout LayoutOf(const Options& options) {
    return RoomsOf(options, IntOf(options, "num_rows"), 3);
  }

  void GenerateMission() override {
    for (int j = 1; j < layout_.rows; ++j) RemoveWall(1, j, 3);
    const int row = RandInt(0, layout_.rows);
    const Handle door = AddDoor(2, row, 2, {}, true);
    AddObject(2, row, type_);
    AddObject(0, RandInt(0, layout_.rows), Type::kKey, grid_[door].color);
    PlaceAgentInRoom(1, layout_.rows / 2);
    ConnectAll();
    instruction_ = Clause::Pickup(Description(type_));
  }

 private:
  const Type type_;
};

struct OneRoom : RoomsLevel<Layout{.room_size = kSizeOfOption, .rows = 1, .columns = 1}> {
  using RoomsLevel::RoomsLevel;

  void GenerateMission() override {
    AddObject(0, 0, Type::kBall);
    PlaceAgentInRoom();
    instruction_ = Clause::Pickup(Description(Type::kBall));
  }
};

struct MoveTwoAcross : RoomsLevel<Layout{.room_size = kSizeOfOption, .rows = 1, .columns = 2}, 16> {
  using RoomsLevel::RoomsLevel;

  void GenerateMission() override {
    PlaceAgentInRoom(0, 0);
    const int count = IntOf(options_, "objs_per_room");
    const std::vector<Handle> all_left = AddDistractors(0, 0, count);
    const std::vector<Handle> all_right = AddDistractors(1, 0, count);
    RemoveWall(0, 0, 0);
    const std::vector<Handle> left = RandSubset(all_left, 2);
    const std::vector<Handle> right = RandSubset(all_right, 2);
    instruction_ = Instruction::Before(Clause::PutNext(Like(left[0]), Like(right[0])),
                                       Clause::PutNext(Like(right[1]), Like(left[1])));
  }
};

[[maybe_unused]] const bool registered = [] {
  RegisterRooms<ActionObjDoor>("BabyAIActionObjDoor");
  RegisterRooms<FindObj>("BabyAIFindObj", {RoomSizeOption(5)});
  RegisterRooms<KeyCorridor>(
      "BabyAIKeyCorridor",
      {{"num_rows", 3, "rows of rooms", {1, 20}},
       RoomSizeOption(6, 3),
       {"obj_type", "ball", "what is to be picked up", {}, {"key", "ball", "box"}}});
  RegisterRooms<OneRoom>("BabyAIOneRoom", {RoomSizeOption(8)});
  RegisterRooms<MoveTwoAcross>(
      "BabyAIMoveTwoAcross",
      {RoomSizeOption(8),
       {"objs_per_room", 2, "how many objects there are in each of the two rooms", {2, 9}}});
  return true;
}();

}  // namespace
}  // namespace envpool::minigrid::babyai
