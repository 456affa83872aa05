// RoomGridLevel: rooms with an instruction, as minigrid/envs/babyai/core/roomgrid_level.py has it.
//
// A level of BabyAI is a class, not a final one, that derives from this one. It reads its options
// when it generates a mission. It has
//
//   explicit Level(const Options& options) : RoomGridLevel(options, LayoutOf(options)) {}
//   static Layout LayoutOf(const Options& options);
//   void GenerateMission() override;
//
// and RegisterRooms registers it.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "minigrid/babyai/instruction.h"
#include "minigrid/level.h"

namespace envpool::minigrid::babyai {

class RoomGridLevel : public RoomGrid {
 public:
  // Draws levels until one has a mission that is not rejected.
  void Generate() final;

 protected:
  // Without `max_steps`, each episode has a limit of its own, which follows from the instruction
  // and the rooms.
  RoomGridLevel(const Options& options, Layout layout, int max_steps = 0)
      : RoomGrid(options, layout, max_steps),
        options_(options),
        has_fixed_limit_(max_steps_ != 0) {}

  // Fills the rooms, places the agent and gives the instruction. Throws Rejected if what was drawn
  // is no good.
  virtual void GenerateMission() = 0;

  StepResult Act(Move move) override;
  void SerializeLevel(Archive& archive) override;

  // Returns a description of all objects like this one.
  Description Like(Handle object) const { return Description(grid_[object].Kind()); }

  // Places the agent in any room but this one.
  void PlaceAgentOutside(const Room* room);

  // True if the agent can come to all objects without moving others away.
  bool AreObjectsReachable();
  // Throws Rejected unless AreObjectsReachable.
  void CheckObjectsReachable();

  // Returns every door twice, once for either room.
  std::vector<Handle> Doors();

  const Options options_;
  Instruction instruction_;
  // True if no instruction may be about a key that opens a locked door, because the agent needs it.
  bool protects_keys_ = false;

 private:
  void Validate();
  int LimitOfEpisode();

  const bool has_fixed_limit_;
};

inline Layout MazeOf(const Options& options) {
  return {.room_size = IntOf(options, "room_size"),
          .rows = IntOf(options, "num_rows"),
          .columns = IntOf(options, "num_cols")};
}

// Returns a layout of so many rooms, whose size is an option.
inline Layout RoomsOf(const Options& options, int rows, int columns) {
  return {.room_size = IntOf(options, "room_size"), .rows = rows, .columns = columns};
}

// Returns `cells` steps for each cell of a room.
inline int StepsFor(Layout layout, int cells) {
  return cells * layout.room_size * layout.room_size;
}

// A level of rooms whose size and number are options: those of MazeOptions.
class MazeLevel : public RoomGridLevel {
 public:
  explicit MazeLevel(const Options& options) : RoomGridLevel(options, LayoutOf(options)) {}

  static Layout LayoutOf(const Options& options) { return MazeOf(options); }
};

inline constexpr int kSizeOfOption = 0;

// A level of this layout, in which the size of a room may be kSizeOfOption: that of RoomSizeOption.
// With `kSteps`, an episode has so many steps for each cell of a room.
template <Layout kLayout, int kSteps = 0>
class RoomsLevel : public RoomGridLevel {
 public:
  explicit RoomsLevel(const Options& options)
      : RoomGridLevel(options, LayoutOf(options), StepsFor(LayoutOf(options), kSteps)) {}

  static Layout LayoutOf(const Options& options) {
    Layout layout = kLayout;
    if (layout.room_size == kSizeOfOption) layout.room_size = IntOf(options, "room_size");
    return layout;
  }
};

// --- options that levels share -------------------------------------------------------------------

inline OptionSpec RoomSizeOption(int size, int least = 4) {
  return {"room_size", size, "columns and rows of a room, walls included", {double(least), 40}};
}

inline OptionSpec DistractorsOption(int count) {
  return {"num_dists", count, "how many objects there are besides", {0, 1000}};
}

// The option for levels whose mission means one of these objects, so there is at least one.
inline OptionSpec ObjectsOption(int count) {
  return {"num_dists", count, "how many objects there are", {1, 1000}};
}

// Returns the options for the room's size and the number of rooms, after `more`.
inline std::vector<OptionSpec> MazeOptions(std::vector<OptionSpec> more = {}) {
  more.insert(more.end(), {RoomSizeOption(8),
                           {"num_rows", 3, "rows of rooms", {1, 20}},
                           {"num_cols", 3, "columns of rooms", {1, 20}}});
  return more;
}

// Sized is the level with its size, which RegisterLevel needs.
template <class Level>
struct Sized : Level {
  using Level::Level;
  static Size SizeOf(const Options& options) { return Level::LayoutOf(options).InCells(); }
};

template <class Level>
[[gnu::visibility("hidden")]] bool RegisterRooms(const char* name,
                                                 std::vector<OptionSpec> own = {}) {
  return RegisterLevel<Sized<Level>>(name, std::move(own), {.mission = kBabyAIMissions});
}

}  // namespace envpool::minigrid::babyai
