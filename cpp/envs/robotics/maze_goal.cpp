#include "robotics/maze_goal.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "numerics/loops.h"
#include "numerics/products.h"

namespace envpool::robotics {

namespace {

constexpr double kRadius = 0.45;       // of a goal, m
constexpr int kMostAttempts = 10'000;  // where the original would go on for ever

double NormOfDifference(const Place& a, const Place& b) {
  return numerics::Norm(Place{a[0] - b[0], a[1] - b[1]});
}

}  // namespace

MazeGoal::MazeGoal(const Options& options, const Maze& maze, RobotWorld& world, double apart,
                   bool draws_once)
    : maze_(maze),
      is_dense_(options.Text("reward_type") == "dense"),
      continues_(options.Flag("continuing_task")),
      resets_target_(options.Flag("reset_target")),
      noise_(options.Number("position_noise_range")),
      apart_(apart),
      draws_once_(draws_once),
      target_(world.OwnRow(&mjModel::site_pos, world.Model().nsite, world.Site("target"), 3)) {}

Place MazeGoal::Reset(Random& random, const Options& options) {
  Place goal;
  if (!maze_.Names(options, "goal_cell", goal)) goal = DrawGoal(random);
  goal_ = WithNoise(goal, random);
  Place start;
  if (!maze_.Names(options, "reset_cell", start)) start = DrawStart(random);
  Show();
  return WithNoise(start, random);
}

Place MazeGoal::DrawGoal(Random& random) const {
  return maze_.Goals()[static_cast<std::size_t>(
      random.Integers(static_cast<std::int64_t>(maze_.Goals().size())))];
}

// Not beside the goal.
Place MazeGoal::DrawStart(Random& random) const {
  const std::vector<Place>& starts = maze_.Starts();
  const auto is_apart = [this](const Place& place) {
    return NormOfDifference(place, goal_) > apart_;
  };
  if (std::ranges::none_of(starts, is_apart)) {
    throw std::runtime_error("maze_map has no cell to begin in that is not beside the goal");
  }
  while (true) {
    const Place start =
        starts[static_cast<std::size_t>(random.Integers(static_cast<std::int64_t>(starts.size())))];
    if (is_apart(start)) return start;
  }
}

Place MazeGoal::WithNoise(Place place, Random& random) const {
  const double x = random.Uniform(-noise_, noise_) * maze_.Scale();
  const double y = random.Uniform(-noise_, noise_) * maze_.Scale();
  return {place[0] + x, place[1] + y};
}

void MazeGoal::Show() {
  std::ranges::copy(goal_, target_.begin());
  target_[2] = maze_.MidHeight();
}

double MazeGoal::Distance(const Place& achieved) const { return NormOfDifference(achieved, goal_); }

// The distance is a norm along an axis, which NumPy adds up otherwise than a norm of all elements.
double MazeGoal::Reward(const Place& achieved) const {
  const double x = achieved[0] - goal_[0];
  const double y = achieved[1] - goal_[1];
  const double distance = std::sqrt(x * x + y * y);
  if (is_dense_) return numerics::Exp(-distance);
  return distance <= kRadius ? 1.0 : 0.0;
}

bool MazeGoal::IsReached(const Place& achieved) const { return Distance(achieved) <= kRadius; }

void MazeGoal::Note(const Place& achieved) {
  distance_ = Distance(achieved);
  is_success_ = IsReached(achieved);
}

bool MazeGoal::Update(const Place& achieved, Random& random) {
  if (!continues_ || !resets_target_ || maze_.Goals().size() < 2 || !IsReached(achieved)) {
    return false;
  }
  for (int i = 0; i < kMostAttempts; ++i) {
    goal_ = WithNoise(DrawGoal(random), random);
    if (!draws_once_ && IsReached(achieved)) continue;
    Show();
    return true;
  }
  throw std::runtime_error("found no goal out of the agent's reach in 10000 attempts");
}

}  // namespace envpool::robotics
