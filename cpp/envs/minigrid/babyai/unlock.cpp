// Levels of BabyAI in which the agent unlocks doors. Follow minigrid/envs/babyai/unlock.py.
#include <algorithm>
#include <vector>

#include "minigrid/babyai/room_grid_level.h"

namespace envpool::minigrid::babyai {
namespace {

const OptionSpec distractors = {"distractors", false, "there are objects of no use, too"};

// The key may be in the room that it unlocks, for the same reason as in GoToImpUnlock.
struct Unlock : MazeLevel {
  using MazeLevel::MazeLevel;

  void GenerateMission() override {
    const int i = RandInt(0, layout_.columns);
    const int j = RandInt(0, layout_.rows);
    const Handle door = AddDoor(i, j, {}, {}, true);
    const Color color = grid_[door].color;
    const int key_i = RandInt(0, layout_.columns);
    const int key_j = RandInt(0, layout_.rows);
    AddObject(key_i, key_j, Type::kKey, color);
    std::vector<Color> colors(kColors.begin(), kColors.end());
    if (RandBool()) std::erase(colors, color);
    ConnectAll(colors);
    for (int column = 0; column < layout_.columns; ++column) {
      for (int row = 0; row < layout_.rows; ++row) AddDistractors(column, row, 3, false);
    }
    PlaceAgentOutside(&GetRoom(i, j));
    CheckObjectsReachable();
    instruction_ = Clause::Open(Like(door));
  }
};

struct UnlockLocal : RoomsLevel<Layout{.room_size = kSizeOfOption}> {
  using RoomsLevel::RoomsLevel;

  void GenerateMission() override {
    const Handle door = AddDoor(1, 1, {}, {}, true);
    AddObject(1, 1, Type::kKey, grid_[door].color);
    if (options_.Flag("distractors")) AddDistractors(1, 1, 3);
    PlaceAgentInRoom(1, 1);
    instruction_ = Clause::Open(Description(Type::kDoor));
  }
};

struct KeyInBox : RoomsLevel<Layout{.room_size = kSizeOfOption}> {
  using RoomsLevel::RoomsLevel;

  void GenerateMission() override {
    const Handle door = AddDoor(1, 1, {}, {}, true);
    const Handle key = grid_.Make(Type::kKey, grid_[door].color);
    const Handle box = grid_.Make(Type::kBox, RandColor());
    grid_[box].contains = key;
    PlaceInRoom(1, 1, box);
    PlaceAgentInRoom(1, 1);
    instruction_ = Clause::Open(Description(Type::kDoor));
  }
};

// Upstream means to give this level a fixed limit of steps, but does not.
struct UnlockPickup : RoomsLevel<Layout{.room_size = 6, .rows = 1, .columns = 2}> {
  using RoomsLevel::RoomsLevel;

  void GenerateMission() override {
    const Handle box = AddObject(1, 0, Type::kBox);
    const Handle door = AddDoor(0, 0, 0, {}, true);
    AddObject(0, 0, Type::kKey, grid_[door].color);
    if (options_.Flag("distractors")) AddDistractors({}, {}, 4);
    PlaceAgentInRoom(0, 0);
    instruction_ = Clause::Pickup(Like(box));
  }
};

struct BlockedUnlockPickup : RoomsLevel<Layout{.room_size = 6, .rows = 1, .columns = 2}, 16> {
  using RoomsLevel::RoomsLevel;

  void GenerateMission() override {
    AddObject(1, 0, Type::kBox);
    const Handle door = AddDoor(0, 0, 0, {}, true);
    const Color color = RandColor();
    grid_.Put(grid_[door].Position() - Point{1, 0}, grid_.Make(Type::kBall, color));
    AddObject(0, 0, Type::kKey, grid_[door].color);
    PlaceAgentInRoom(0, 0);
    instruction_ = Clause::Pickup(Description(Type::kBox));
  }
};

struct UnlockToUnlock : RoomsLevel<Layout{.room_size = 6, .rows = 1, .columns = 3}, 30> {
  using RoomsLevel::RoomsLevel;

  void GenerateMission() override {
    const std::vector<Color> colors = RandSubset(kColors, 2);
    AddDoor(0, 0, 0, colors[0], true);
    AddObject(2, 0, Type::kKey, colors[0]);
    AddDoor(1, 0, 0, colors[1], true);
    AddObject(1, 0, Type::kKey, colors[1]);
    AddObject(0, 0, Type::kBall);
    PlaceAgentInRoom(1, 0);
    instruction_ = Clause::Pickup(Description(Type::kBall));
  }
};

[[maybe_unused]] const bool registered = [] {
  RegisterRooms<Unlock>("BabyAIUnlock", MazeOptions());
  RegisterRooms<UnlockLocal>("BabyAIUnlockLocal", {RoomSizeOption(8), distractors});
  RegisterRooms<KeyInBox>("BabyAIKeyInBox", {RoomSizeOption(8)});
  RegisterRooms<UnlockPickup>("BabyAIUnlockPickup", {distractors});
  RegisterRooms<BlockedUnlockPickup>("BabyAIBlockedUnlockPickup");
  RegisterRooms<UnlockToUnlock>("BabyAIUnlockToUnlock");
  return true;
}();

}  // namespace
}  // namespace envpool::minigrid::babyai
