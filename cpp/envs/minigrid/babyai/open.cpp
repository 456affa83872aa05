// Levels of BabyAI in which the agent opens doors. Follow minigrid/envs/babyai/open.py.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "minigrid/babyai/room_grid_level.h"

namespace envpool::minigrid::babyai {
namespace {

// The room in the middle has the doors, the others are behind them.
using NineRooms = RoomsLevel<Layout{.room_size = 6}, 20>;

OptionSpec StrictOption(const char* name) { return {name, false, "another door is a failure"}; }

struct Open : MazeLevel {
  using MazeLevel::MazeLevel;

  void GenerateMission() override {
    PlaceAgentInRoom();
    ConnectAll();
    AddDistractors({}, {}, 18, false);
    CheckObjectsReachable();
    instruction_ = Clause::Open(Like(RandElem(Doors())));
  }
};

struct OpenRedDoor : RoomsLevel<Layout{.room_size = 5, .rows = 1, .columns = 2}> {
  using RoomsLevel::RoomsLevel;

  void GenerateMission() override {
    const Handle door = AddDoor(0, 0, 0, Color::kRed, false);
    PlaceAgentInRoom(0, 0);
    instruction_ = Clause::Open(Like(door));
  }
};

struct OpenDoor : RoomsLevel<Layout{.room_size = kSizeOfOption}> {
  using RoomsLevel::RoomsLevel;

  void GenerateMission() override {
    const std::vector<Color> colors = RandSubset(kColors, 4);
    for (int i = 0; i < 4; ++i) AddDoor(1, 1, i, colors[static_cast<std::size_t>(i)], false);
    const std::string& select_by = options_.Text("select_by");
    const bool is_by_color = select_by.empty() ? RandBool() : select_by == "color";
    const Description door = is_by_color ? Description(Type::kDoor, colors.front())
                                         : Description(Type::kDoor, std::nullopt, RandElem(kSides));
    PlaceAgentInRoom(1, 1);
    instruction_ = Clause::Open(door, options_.Flag("debug"));
  }
};

class OpenTwoDoors : public NineRooms {
 public:
  using NineRooms::NineRooms;

  void GenerateMission() override {
    const std::vector<Color> colors = RandSubset(kColors, 2);
    const Handle first = AddDoor(1, 1, 2, ColorOf("first_color", colors[0]), false);
    const Handle second = AddDoor(1, 1, 0, ColorOf("second_color", colors[1]), false);
    PlaceAgentInRoom(1, 1);
    instruction_ = Instruction::Before(Clause::Open(Like(first), options_.Flag("strict")),
                                       Clause::Open(Like(second)));
  }

 private:
  Color ColorOf(const char* option, Color drawn) const {
    const auto* found = std::ranges::find(kColors, options_.Text(option),
                                          [](Color color) { return NameOf(color); });
    return found == kColors.end() ? drawn : *found;
  }
};

struct OpenDoorsOrder : NineRooms {
  using NineRooms::NineRooms;

  void GenerateMission() override {
    std::vector<Handle> doors;
    for (const Color color : RandSubset(kColors, IntOf(options_, "num_doors"))) {
      doors.push_back(AddDoor(1, 1, {}, color, false));
    }
    PlaceAgentInRoom(1, 1);
    const std::vector<Handle> drawn = RandSubset(doors, 2);
    const bool is_strict = options_.Flag("debug");
    const Clause first = Clause::Open(Like(drawn[0]), is_strict);
    const Clause second = Clause::Open(Like(drawn[1]), is_strict);
    switch (RandInt(0, 3)) {
      case 0: instruction_ = first; break;
      case 1: instruction_ = Instruction::Before(first, second); break;
      default: instruction_ = Instruction::After(first, second); break;
    }
  }
};

OptionSpec ColorOption(const char* name, const char* description) {
  return {name, "", description, {}, {"", "red", "green", "blue", "purple", "yellow", "grey"}};
}

[[maybe_unused]] const bool registered = [] {
  RegisterRooms<Open>("BabyAIOpen", MazeOptions());
  RegisterRooms<OpenRedDoor>("BabyAIOpenRedDoor");
  RegisterRooms<OpenDoor>(
      "BabyAIOpenDoor",
      {RoomSizeOption(8),
       StrictOption("debug"),
       {"select_by", "", "how the door is described; '': drawn", {}, {"", "color", "loc"}}});
  RegisterRooms<OpenTwoDoors>(
      "BabyAIOpenTwoDoors",
      {ColorOption("first_color", "of the first door; '': drawn"),
       ColorOption("second_color", "of the second door; '': drawn"), StrictOption("strict")});
  RegisterRooms<OpenDoorsOrder>(
      "BabyAIOpenDoorsOrder",
      {{"num_doors", 2, "how many doors there are", {2, 4}}, StrictOption("debug")});
  return true;
}();

}  // namespace
}  // namespace envpool::minigrid::babyai
