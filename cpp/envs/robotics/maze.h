// Maze: a map of walls and free cells, and the model that is made of it.
//
// Follows gymnasium_robotics/envs/maze/maze_v4.py.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "envpool/options.h"

namespace envpool::robotics {

using Place = std::array<double, 2>;  // x and y, m

class Maze {
 public:
  // Reads the options of MazeOptions(). Throws std::invalid_argument if the map is none.
  explicit Maze(const Options& options);

  // Where goals can be, and where episodes can begin.
  const std::vector<Place>& Goals() const { return goals_; }
  const std::vector<Place>& Starts() const { return starts_; }

  double Scale() const { return scale_; }
  // How high the target is, half of the walls.
  double MidHeight() const { return height_ / 2 * scale_; }
  std::size_t Length() const { return rows_.size(); }

  // The middle of a cell that a reset option names, if it names one. Throws std::invalid_argument
  // unless that is a free cell of the map.
  bool Names(const Options& options, const std::string& name, Place& place) const;

  // The model of an agent, of the package's file of this name, in the maze.
  std::shared_ptr<const mjModel> Model(const std::string& agent_file) const;

 private:
  Place Middle(std::size_t row, std::size_t column) const;
  void FindPlaces();
  std::string Blocks() const;

  const std::vector<std::string> rows_;  // of cells: '1' is a wall
  const double scale_;                   // the side of a cell, m
  const double height_;                  // of walls, in sides of a cell
  std::vector<Place> goals_;
  std::vector<Place> starts_;
};

// The defaults of a cell's side and of the height of walls depend on the agent.
std::vector<OptionSpec> MazeOptions(double scale, double height);
std::vector<OptionSpec> MazeResetOptions();

}  // namespace envpool::robotics
