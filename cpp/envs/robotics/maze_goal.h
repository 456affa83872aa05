// MazeGoal: where an agent in a maze shall go to, and what that is worth.
//
// Follows gymnasium_robotics/envs/maze/maze_v4.py.
#pragma once

#include <cstddef>
#include <span>

#include "envpool/archive.h"
#include "envpool/random.h"
#include "robotics/goal.h"
#include "robotics/maze.h"
#include "robotics/world.h"

namespace envpool::robotics {

class MazeGoal {
 public:
  // The world's target shows it. Episodes begin farther than `apart` from the goal, m, but for
  // noise. With `draws_once`, the place of a goal that is reached may be taken by one that is
  // reached, too.
  MazeGoal(const Options& options, const Maze& maze, RobotWorld& world, double apart,
           bool draws_once = false);

  // Draws a goal, and where the episode begins, which is returned; unless reset options say where.
  Place Reset(Random& random, const Options& options);

  const Place& Get() const { return goal_; }
  double Reward(const Place& achieved) const;
  bool Terminates(const Place& achieved) const { return !continues_ && IsReached(achieved); }
  // Draws another goal if this one is reached and the task goes on with the next. Returns whether
  // it did.
  bool Update(const Place& achieved, Random& random);

  // Keeps for infos how near the agent is.
  void Note(const Place& achieved);
  // `first`: see WriteSuccess.
  void WriteInfo(const Row& row, std::size_t first = 0) const {
    WriteSuccess(row, is_success_, distance_, first);
  }

  void Serialize(Archive& archive) { archive(goal_, is_success_, distance_); }

 private:
  bool IsReached(const Place& achieved) const;
  // numpy.linalg.norm(achieved - goal)
  double Distance(const Place& achieved) const;
  void Show();
  Place DrawGoal(Random& random) const;
  Place DrawStart(Random& random) const;
  Place WithNoise(Place place, Random& random) const;

  const Maze& maze_;
  const bool is_dense_;
  const bool continues_;
  const bool resets_target_;
  const double noise_;
  const double apart_;
  const bool draws_once_;
  const std::span<double> target_;  // its place in the model
  Place goal_ = {};
  bool is_success_ = false;
  double distance_ = 0.0;
};

}  // namespace envpool::robotics
