// GridWorld: an agent in a grid with a mission, as minigrid/minigrid_env.py's MiniGridEnv.
//
// A level is a class that derives from this one. It has
//
//   explicit Level(const Options& options) : GridWorld(options, SizeOf(options), max_steps) {}
//   static Size SizeOf(const Options& options);
//   void Generate() override;
//
// and, if something other than a goal or lava ends its episodes, Act and SerializeLevel. level.h
// registers it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/env.h"
#include "minigrid/bonus.h"
#include "minigrid/grid.h"
#include "minigrid/observation.h"
#include "minigrid/picture.h"
#include "minigrid/view.h"

namespace envpool::minigrid {

inline constexpr std::int32_t kMostMissions = 1024;  // the largest of EnvPool's numbers of them

// Rejected says that what was drawn does not make a level. Upstream raises RecursionError or
// RejectSampling; levels that draw again until they have one catch it.
class Rejected : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An Area is where something is to be placed; beyond the grid's border it is cut off.
struct Area {
  Point top;
  Size size;
};

class GridWorld : public Env {
 public:
  void Seed(std::uint64_t seed, Random& random) override;
  // Begins an episode. Throws std::runtime_error, with the level's name and the last seed, if no
  // level was drawn.
  void Reset(Random& random, const Options& options) override;
  StepResult Step(const Action& action, Random& random) override;
  void Observe(const Row& row) const override;
  void Render(const Frame& frame) final;
  bool HasBegun() const override { return agent_.direction >= 0; }
  void Serialize(Archive& archive) final;

  // Makes a level of this name and forgets it. Throws std::invalid_argument if that fails, for
  // instance because there is no room for all objects; upstream would try for ever.
  void TryOut(const char* name);

 protected:
  // `max_steps` is the level's own limit of steps, unless the option says otherwise.
  GridWorld(const Options& options, Size size, int max_steps);

  // Fills the grid, which is empty, places the agent and says its mission.
  virtual void Generate() = 0;

  // Makes a step. Levels with other rules add them to this one.
  virtual StepResult Act(Move move);

  // Observes another world than this one.
  void ObserveAs(const Grid& grid, const Pose& agent, const Row& row) const;

  // True if observations show what the agent sees, and no more.
  bool ShowsOnlyView() const { return observation_.IsOfAgent(); }

  // Serializes what Generate and Act change, beyond the members below.
  virtual void SerializeLevel(Archive& /*archive*/) {}

  // Returns the reward for success, which is less the later it comes.
  double Reward() const { return 1 - 0.9 * (double(step_count_) / max_steps_); }

  // Ends the episode with this reward for the last step.
  static void End(StepResult& result, double reward) {
    result.reward = reward;
    result.terminated = true;
  }

  // --- draws, each of the same numbers as upstream's function of that name -----------------------

  int RandInt(int low, int high) { return static_cast<int>(random_->Integers(low, high)); }
  bool RandBool() { return RandInt(0, 2) == 0; }
  double RandFloat(double low, double high) { return random_->Uniform(low, high); }
  template <std::ranges::random_access_range List>
  auto RandElem(const List& list) {
    return list[static_cast<std::size_t>(RandInt(0, static_cast<int>(std::ranges::size(list))))];
  }
  template <std::ranges::random_access_range List>
  auto RandSubset(const List& list, int count) {
    std::vector<std::ranges::range_value_t<List>> left(list.begin(), list.end());
    auto drawn = left;
    drawn.clear();
    for (int i = 0; i < count; ++i) {
      const int index = RandInt(0, static_cast<int>(left.size()));
      drawn.push_back(left[static_cast<std::size_t>(index)]);
      left.erase(left.begin() + index);
    }
    return drawn;
  }
  Color RandColor() { return RandElem(kColors); }
  // Draws a key, ball or box.
  Thing RandThing() {
    const Type type = RandElem(kThings);
    return {type, RandColor()};
  }
  Point RandPos(int x_low, int x_high, int y_low, int y_high) {
    const int x = RandInt(x_low, x_high);
    return {x, RandInt(y_low, y_high)};
  }
  Random& Generator() { return *random_; }

  // --- placing -----------------------------------------------------------------------------------

  using Rejects = std::function<bool(Point)>;
  static constexpr int kEndless = 1'000'000;  // upstream tries for ever

  // Puts an object, or nothing, into an empty cell where the agent is not, and returns the cell.
  // Returns nothing if that has failed `max_tries` + 1 times.
  std::optional<Point> TryPlaceObj(Handle object, Area area, const Rejects& rejects, int max_tries);
  // Does the same, but throws Rejected instead of returning nothing.
  Point PlaceObj(Handle object, Area area, const Rejects& rejects = nullptr,
                 int max_tries = kEndless);
  Point PlaceObj(Handle object, const Rejects& rejects = nullptr) {
    return PlaceObj(object, Everywhere(), rejects);
  }
  // Places the agent at this cell, or at random if there is none.
  void PlaceAgentAt(std::optional<Point> at, int direction);
  void PlaceAgent(Area area, int max_tries = kEndless);
  void PlaceAgent() { PlaceAgent(Everywhere()); }

  Area Everywhere() const { return {{0, 0}, {grid_.Width(), grid_.Height()}}; }

  // True if the agent is right beside this cell.
  bool IsBeside(Point at) const;

  Object& Carried() { return grid_[agent_.carrying]; }

  Random* random_ = nullptr;  // of the Reset or Step that runs
  Grid grid_;
  Pose agent_;
  std::string mission_;
  std::int32_t mission_id_ = 0;  // EnvPool's number of the mission; 0 where it has but one
  std::int32_t step_count_ = 0;
  std::int32_t max_steps_;

 private:
  void Begin(Random& random);

  // Does what toggling the object of this cell does.
  void Toggle(Point at, Handle handle);

  void RequireMissionOf(const Archive& archive) const;

  const Observation observation_;
  const PictureStyle picture_style_;
  const int tile_size_;
  Bonus bonus_;
  const char* name_ = nullptr;
  std::uint64_t seed_ = 0;
  std::int32_t resets_ = 0;  // since that seed
};

}  // namespace envpool::minigrid
