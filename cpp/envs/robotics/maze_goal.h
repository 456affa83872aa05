// MazeGoal: where an agent in a maze shall go to, and what that is worth.
//
// Follows gymnasium_robotics/envs/maze/maze_v4.py.
#pragma once

#include <string>

#include "envpool/archive.h"
#include "envpool/random.h"
#include "robotics/maze.h"

namespace envpool::robotics {

class MazeGoal {
 public:
  // Episodes begin farther than `apart` from the goal, m, but for noise. With `draws_once`, the
  // place of a goal that is reached may be taken by one that is reached, too.
  MazeGoal(const Options& options, const Maze& maze, double apart, bool draws_once = false);

  // Draws a goal, and where the episode begins, which is returned; unless reset options say where.
  Place Reset(Random& random, const Options& options);

  const Place& Get() const { return goal_; }
  double Reward(const Place& achieved) const;
  bool IsReached(const Place& achieved) const;
  bool Terminates(const Place& achieved) const { return !continues_ && IsReached(achieved); }
  // Draws another goal if this one is reached and the task goes on with the next. Returns whether
  // it did.
  bool Update(const Place& achieved, Random& random);

  // numpy.linalg.norm(achieved - goal)
  double Distance(const Place& achieved) const;

  void Serialize(Archive& archive) { archive(goal_); }

 private:
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
  Place goal_ = {};
};

}  // namespace envpool::robotics
