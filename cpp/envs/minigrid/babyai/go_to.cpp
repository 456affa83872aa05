// Levels of BabyAI in which the agent goes to something. Follow minigrid/envs/babyai/goto.py, whose
// GoToSeq is a LevelGen.
#include <array>
#include <vector>

#include "minigrid/babyai/room_grid_level.h"

namespace envpool::minigrid::babyai {
namespace {

constexpr Thing kRedBall = {Type::kBall, Color::kRed};

using SingleRoom = RoomsLevel<Layout{.room_size = kSizeOfOption, .rows = 1, .columns = 1}>;

struct GoToRedBall : SingleRoom {
  using SingleRoom::SingleRoom;

  void GenerateMission() override {
    PlaceAgentInRoom();
    AddObject(0, 0, kRedBall);
    for (const Handle object : AddDistractors({}, {}, IntOf(options_, "num_dists"), false)) {
      if (options_.Flag("grey")) grid_[object].color = Color::kGrey;
    }
    CheckObjectsReachable();
    instruction_ = Clause::GoTo(Description(kRedBall));
  }
};

struct GoToRedBlueBall : SingleRoom {
  using SingleRoom::SingleRoom;

  void GenerateMission() override {
    PlaceAgentInRoom();
    for (const Handle object : AddDistractors({}, {}, IntOf(options_, "num_dists"), false)) {
      const Thing kind = grid_[object].Kind();
      if (kind == kRedBall || kind == Thing{Type::kBall, Color::kBlue}) {
        throw Rejected("a distractor is like what is to be found");
      }
    }
    const Color color = RandElem(std::array{Color::kRed, Color::kBlue});
    const Handle ball = AddObject(0, 0, Type::kBall, color);
    CheckObjectsReachable();
    instruction_ = Clause::GoTo(Like(ball));
  }
};

struct GoToObj : SingleRoom {
  using SingleRoom::SingleRoom;

  void GenerateMission() override {
    PlaceAgentInRoom();
    instruction_ = Clause::GoTo(Like(AddDistractors({}, {}, 1).front()));
  }
};

struct GoToLocal : SingleRoom {
  using SingleRoom::SingleRoom;

  void GenerateMission() override {
    PlaceAgentInRoom();
    const std::vector<Handle> objects = AddDistractors({}, {}, IntOf(options_, "num_dists"), false);
    CheckObjectsReachable();
    instruction_ = Clause::GoTo(Like(RandElem(objects)));
  }
};

struct GoTo : MazeLevel {
  using MazeLevel::MazeLevel;

  void GenerateMission() override {
    PlaceAgentInRoom();
    ConnectAll();
    const std::vector<Handle> objects = AddDistractors({}, {}, IntOf(options_, "num_dists"), false);
    CheckObjectsReachable();
    instruction_ = Clause::GoTo(Like(RandElem(objects)));
    if (!options_.Flag("doors_open")) return;
    for (const Handle door : Doors()) grid_[door].state = DoorState::kOpen;
  }
};

// Upstream means to keep the key and the first distractors out of the locked room, but compares
// numbers of rooms by identity, by which no two are the same. So some of these levels cannot be
// solved.
struct GoToImpUnlock : MazeLevel {
  using MazeLevel::MazeLevel;

  void GenerateMission() override {
    const int i = RandInt(0, layout_.columns);
    const int j = RandInt(0, layout_.rows);
    const Handle door = AddDoor(i, j, {}, {}, true);
    const int key_i = RandInt(0, layout_.columns);
    const int key_j = RandInt(0, layout_.rows);
    AddObject(key_i, key_j, Type::kKey, grid_[door].color);
    ConnectAll();
    for (int column = 0; column < layout_.columns; ++column) {
      for (int row = 0; row < layout_.rows; ++row) AddDistractors(column, row, 2, false);
    }
    PlaceAgentOutside(&GetRoom(i, j));
    CheckObjectsReachable();
    instruction_ = Clause::GoTo(Like(AddDistractors(i, j, 1, false).front()));
  }
};

struct GoToDoor : RoomsLevel<Layout{.room_size = 7}> {
  using RoomsLevel::RoomsLevel;

  void GenerateMission() override {
    std::vector<Handle> doors;
    for (int i = 0; i < 4; ++i) doors.push_back(AddDoor(1, 1));
    PlaceAgentInRoom(1, 1);
    instruction_ = Clause::GoTo(Like(RandElem(doors)));
  }
};

struct GoToObjDoor : RoomsLevel<Layout{.room_size = 8}> {
  using RoomsLevel::RoomsLevel;

  void GenerateMission() override {
    PlaceAgentInRoom(1, 1);
    std::vector<Handle> objects = AddDistractors(1, 1, 8, false);
    for (int i = 0; i < 4; ++i) objects.push_back(AddDoor(1, 1));
    CheckObjectsReachable();
    instruction_ = Clause::GoTo(Like(RandElem(objects)));
  }
};

[[maybe_unused]] const bool registered = [] {
  RegisterRooms<GoToRedBall>(
      "BabyAIGoToRedBall",
      {RoomSizeOption(8), DistractorsOption(7), {"grey", false, "all distractors are grey"}});
  RegisterRooms<GoToRedBlueBall>("BabyAIGoToRedBlueBall",
                                 {RoomSizeOption(8), DistractorsOption(7)});
  RegisterRooms<GoToObj>("BabyAIGoToObj", {RoomSizeOption(8)});
  RegisterRooms<GoToLocal>("BabyAIGoToLocal", {RoomSizeOption(8), ObjectsOption(8)});
  RegisterRooms<GoTo>(
      "BabyAIGoTo", MazeOptions({ObjectsOption(18), {"doors_open", false, "all doors are open"}}));
  RegisterRooms<GoToImpUnlock>("BabyAIGoToImpUnlock", MazeOptions());
  RegisterRooms<GoToDoor>("BabyAIGoToDoor");
  RegisterRooms<GoToObjDoor>("BabyAIGoToObjDoor");
  return true;
}();

}  // namespace
}  // namespace envpool::minigrid::babyai
