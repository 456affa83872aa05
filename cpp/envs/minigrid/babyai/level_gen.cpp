// LevelGen: instructions of every kind, drawn at random, as minigrid/envs/babyai/core/levelgen.py
// has it. With options, LevelGen also makes those of its levels that have no rules of their own:
// GoToSeq, PickupLoc and all of minigrid/envs/babyai/synth.py.
#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "minigrid/babyai/room_grid_level.h"

namespace envpool::minigrid::babyai {
namespace {

constexpr std::array<Type, 4> kTypes = {Type::kBox, Type::kBall, Type::kKey, Type::kDoor};
constexpr std::span<const Type> kAllTypes = kTypes;
constexpr std::span<const Type> kMovable = kAllTypes.first(3);
constexpr std::span<const Type> kOnlyDoors = kAllTypes.last(1);

constexpr std::array<std::string_view, 4> kActions = {"goto", "pickup", "open", "putnext"};
constexpr std::array<std::string_view, 3> kInstructions = {"action", "and", "seq"};

enum class Form : std::uint8_t { kAction, kAnd, kSeq };

std::string Joined(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

// Returns the numbers of those `names` that an option lists, in the option's order.
template <class Kind>
std::vector<Kind> KindsOf(const Options& options, const char* option,
                          std::span<const std::string_view> names) {
  std::vector<Kind> kinds;
  for (const std::string& name : options.Get<std::vector<std::string>>(option)) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      throw std::invalid_argument(std::string(option) + " has '" + name + "', expected some of '" +
                                  Joined(names) + "'");
    }
    kinds.push_back(static_cast<Kind>(found - names.begin()));
  }
  if (kinds.empty()) {
    throw std::invalid_argument(std::string(option) + " is empty, expected some of '" +
                                Joined(names) + "'");
  }
  return kinds;
}

class LevelGen : public MazeLevel {
 public:
  explicit LevelGen(const Options& options)
      : MazeLevel(options),
        distractors_(IntOf(options, "num_dists")),
        locked_room_prob_(options.Number("locked_room_prob")),
        has_locations_(options.Flag("locations")),
        unblocks_(options.Flag("unblocking")),
        unlocks_implicitly_(options.Flag("implicit_unlock")),
        actions_(KindsOf<Verb>(options, "action_kinds", kActions)),
        forms_(KindsOf<Form>(options, "instr_kinds", kInstructions)) {
    protects_keys_ = unblocks_;
    if (locked_room_prob_ > 0 && layout_.rows * layout_.columns == 1) {
      throw std::invalid_argument("locked_room_prob is " + Shortest(locked_room_prob_) +
                                  ", expected 0: there is only one room");
    }
  }

  void GenerateMission() override {
    locked_room_ = nullptr;
    if (RandFloat(0, 1) < locked_room_prob_) AddLockedRoom();
    ConnectAll();
    AddDistractors({}, {}, distractors_, false);
    PlaceAgentOutside(locked_room_);
    if (!unblocks_) CheckObjectsReachable();
    instruction_ = RandInstruction();
  }

 private:
  void AddLockedRoom() {
    Handle door = kNone;
    while (door == kNone) {
      const int i = RandInt(0, layout_.columns);
      const int j = RandInt(0, layout_.rows);
      const int wall = RandInt(0, 4);
      locked_room_ = &GetRoom(i, j);
      if (locked_room_->neighbors[static_cast<std::size_t>(wall)] == nullptr) continue;
      door = AddDoor(i, j, wall, {}, true);
    }
    const Color color = grid_[door].color;
    while (true) {
      const int i = RandInt(0, layout_.columns);
      const int j = RandInt(0, layout_.rows);
      if (&GetRoom(i, j) == locked_room_) continue;
      AddObject(i, j, Type::kKey, color);
      return;
    }
  }

  // Draws a description that fits an object of the grid.
  Description RandDescription(std::span<const Type> types) {
    constexpr int kMostTries = 101;
    for (int tries = 0; tries < kMostTries; ++tries) {
      const int color = RandInt(0, static_cast<int>(kColors.size()) + 1);
      const Type type = RandElem(types);
      std::optional<Side> side;
      if (has_locations_ && RandBool()) side = RandElem(kSides);
      Description description(
          type,
          color == 0 ? std::nullopt : std::optional(kColors[static_cast<std::size_t>(color) - 1]),
          side);
      description.Find(grid_, agent_, RoomFromPos(agent_.position));
      if (description.HasFoundNone()) continue;
      const bool is_behind_lock =
          !unlocks_implicitly_ && locked_room_ != nullptr && description.IsWithin(*locked_room_);
      if (!is_behind_lock) return description;
    }
    throw Rejected("no object fits a description");
  }

  Clause RandClause() {
    switch (RandElem(actions_)) {
      case Verb::kGoTo: return Clause::GoTo(RandDescription(kAllTypes));
      case Verb::kPickup: return Clause::Pickup(RandDescription(kMovable));
      case Verb::kOpen: return Clause::Open(RandDescription(kOnlyDoors));
      case Verb::kPutNext: break;
    }
    Description object = RandDescription(kMovable);
    return Clause::PutNext(std::move(object), RandDescription(kAllTypes));
  }

  Part RandConjunction() {
    Clause a = RandClause();
    return {std::move(a), RandClause()};
  }

  Part RandPart() { return RandInt(0, 2) == 0 ? Part(RandClause()) : RandConjunction(); }

  Instruction RandInstruction() {
    switch (RandElem(forms_)) {
      case Form::kAction: return RandClause();
      case Form::kAnd: return RandConjunction();
      case Form::kSeq: break;
    }
    Part a = RandPart();
    Part b = RandPart();
    const bool is_before = RandInt(0, 2) == 0;
    return is_before ? Instruction::Before(std::move(a), std::move(b))
                     : Instruction::After(std::move(a), std::move(b));
  }

  const int distractors_;
  const double locked_room_prob_;
  const bool has_locations_;
  const bool unblocks_;
  const bool unlocks_implicitly_;
  const std::vector<Verb> actions_;
  const std::vector<Form> forms_;
  const Room* locked_room_ = nullptr;
};

[[maybe_unused]] const bool registered = RegisterRooms<LevelGen>(
    "BabyAILevelGen",
    MazeOptions(
        {DistractorsOption(18),
         {"locked_room_prob", 0.5, "how often a room is locked", kProbability},
         {"locations", true, "objects may be described by where they are"},
         {"unblocking", true, "the agent may have to move objects out of its way"},
         {"implicit_unlock", true, "objects may be in a locked room"},
         {"action_kinds", std::vector<std::string>(kActions.begin(), kActions.end()),
          "what instructions ask for"},
         {"instr_kinds", std::vector<std::string>(kInstructions.begin(), kInstructions.end()),
          "one action, two in any order, or some in an order"}}));

}  // namespace
}  // namespace envpool::minigrid::babyai
