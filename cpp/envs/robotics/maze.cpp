#include "robotics/maze.h"

#include <algorithm>
#include <stdexcept>

#include "mujoco/model.h"
#include "robotics/assets.h"

namespace envpool::robotics {

namespace {

// What a cell can be, by the letters of maps.
constexpr char kWall = '1';
constexpr char kFree = '0';
constexpr char kStart = 'r';
constexpr char kGoal = 'g';
constexpr char kBoth = 'c';

constexpr std::size_t kMostCells = 200;  // of a row, and rows

using Rows = std::vector<std::string>;

// Throws std::invalid_argument unless it is a map.
Rows ReadRows(const Options& options) {
  const Rows& rows = options.Get<Rows>("maze_map");
  if (rows.empty() || rows[0].empty()) {
    throw std::invalid_argument("maze_map is empty, expected rows of cells");
  }
  if (rows.size() > kMostCells || rows[0].size() > kMostCells) {
    throw std::invalid_argument("maze_map has " + std::to_string(rows.size()) + " rows of " +
                                std::to_string(rows[0].size()) +
                                " cells, expected at most 200 of each");
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::string name = "row " + std::to_string(row) + " of maze_map";
    if (rows[row].size() != rows[0].size()) {
      throw std::invalid_argument(name + " has " + std::to_string(rows[row].size()) +
                                  " cells, expected " + std::to_string(rows[0].size()) +
                                  ", as the first one has");
    }
    const std::size_t unknown = rows[row].find_first_not_of("10rgc");
    if (unknown != std::string::npos) {
      throw std::invalid_argument(name + " has the cell '" + rows[row].substr(unknown, 1) +
                                  "', expected 1 (a wall), 0 (free), r (where episodes begin), g "
                                  "(a goal) or c (both)");
    }
  }
  return rows;
}

std::string Text(const Place& place) {
  return Shortest(place[0]).append(" ").append(Shortest(place[1]));
}

}  // namespace

Maze::Maze(const Options& options)
    : rows_(ReadRows(options)),
      scale_(options.Number("maze_size_scaling")),
      height_(options.Number("maze_height")) {
  FindPlaces();
}

Place Maze::Middle(std::size_t row, std::size_t column) const {
  const double x_center = static_cast<double>(rows_[0].size()) / 2 * scale_;
  const double y_center = static_cast<double>(rows_.size()) / 2 * scale_;
  return {(static_cast<double>(column) + 0.5) * scale_ - x_center,
          y_center - (static_cast<double>(row) + 0.5) * scale_};
}

// Free cells are both where no cell is marked, and else what no cell is marked as.
void Maze::FindPlaces() {
  std::vector<Place> free;
  std::vector<Place> both;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    for (std::size_t column = 0; column < rows_[row].size(); ++column) {
      const Place place = Middle(row, column);
      switch (rows_[row][column]) {
        case kFree: free.push_back(place); break;
        case kStart: starts_.push_back(place); break;
        case kGoal: goals_.push_back(place); break;
        case kBoth: both.push_back(place); break;
        default: break;
      }
    }
  }
  if (goals_.empty() && starts_.empty() && both.empty()) {
    both = free;
  } else if (starts_.empty() && both.empty()) {
    starts_ = free;
  } else if (goals_.empty() && both.empty()) {
    goals_ = free;
  }
  goals_.insert(goals_.end(), both.begin(), both.end());
  starts_.insert(starts_.end(), both.begin(), both.end());
  // An episode never begins in the goal's own cell.
  if (goals_.empty() || starts_.empty() || (starts_.size() == 1 && goals_ == starts_)) {
    throw std::invalid_argument(
        "maze_map has too few free cells, expected one for the goal and another one to begin in");
  }
}

bool Maze::Names(const Options& options, const std::string& name, Place& place) const {
  const auto& cell = options.Get<std::vector<std::int64_t>>(name);
  if (cell.empty()) return false;
  const auto fail = [&](const std::string& problem) {
    std::string numbers;
    for (const std::int64_t number : cell) {
      numbers += (numbers.empty() ? "" : ", ") + std::to_string(number);
    }
    throw std::invalid_argument(name + " is [" + numbers + "], " + problem);
  };
  const auto is_within = [](std::int64_t number, std::size_t size) {
    return number >= 0 && static_cast<std::size_t>(number) < size;
  };
  if (cell.size() != 2) fail("expected two numbers, row and column");
  if (!is_within(cell[0], rows_.size()) || !is_within(cell[1], rows_[0].size())) {
    fail("which is outside of maze_map: it has " + std::to_string(rows_.size()) + " rows and " +
         std::to_string(rows_[0].size()) + " columns");
  }
  const auto row = static_cast<std::size_t>(cell[0]);
  const auto column = static_cast<std::size_t>(cell[1]);
  if (rows_[row][column] == kWall) fail("which is a wall, expected a free cell");
  place = Middle(row, column);
  return true;
}

// The elements that the maze adds to an agent's model.
std::string Maze::Blocks() const {
  const std::string side = Shortest(0.5 * scale_);
  const std::string half_height = Shortest(MidHeight());
  std::string text;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    for (std::size_t column = 0; column < rows_[row].size(); ++column) {
      if (rows_[row][column] != kWall) continue;
      const std::string cell = std::to_string(row) + "_" + std::to_string(column);
      text += R"(<geom name="block_)" + cell + R"(" pos=")" + Text(Middle(row, column)) + " " +
              half_height + R"(" size=")" + side + " " + side + " " + half_height +
              R"(" type="box" material="" contype="1" conaffinity="1" rgba="0.7 0.5 0.3 1.0"/>)";
    }
  }
  return text + R"(<site name="target" pos="0 0 )" + half_height + R"(" size=")" +
         Shortest(0.2 * scale_) + R"(" rgba="1 0 0 0.7" type="sphere"/>)";
}

std::shared_ptr<const mjModel> Maze::Model(const std::string& agent_file) const {
  std::string xml = ReadAsset(agent_file);
  const std::size_t end = xml.find("</worldbody>");
  if (end == std::string::npos) throw std::runtime_error(agent_file + " has no worldbody");
  xml.insert(end, Blocks());
  return mujoco::LoadModel({.name = "the model of the maze", .xml = std::move(xml), .files = {}});
}

std::vector<OptionSpec> MazeOptions(double scale, double height) {
  return {
      {"maze_map", Rows{"11111", "10001", "11101", "10001", "11111"},
       "rows of cells: 1 (a wall), 0 (free), r (where episodes begin), g (a goal) or c (both); or "
       "the name of one of the package's maps"},
      {"reward_type",
       "sparse",
       "sparse: 1 at the goal; dense: more the nearer",
       {},
       {"sparse", "dense"}},
      {"continuing_task", true, "do not end the episode at the goal"},
      {"reset_target", false, "in a continuing task, draw a new goal when one is reached"},
      {"maze_size_scaling", scale, "the side of a cell, m", {.least = 1e-3, .most = 1e3}},
      {"maze_height",
       height,
       "the height of the walls, in sides of a cell",
       {.least = 1e-3, .most = 1e3}},
      {"position_noise_range",
       0.25,
       "how far goals and starts are from the middle of their cells",
       {.least = 0.0, .most = 1e3}}};
}

std::vector<OptionSpec> MazeResetOptions() {
  return {{"goal_cell", std::vector<std::int64_t>(), "row and column of the goal's cell"},
          {"reset_cell", std::vector<std::int64_t>(), "row and column of the cell to begin in"}};
}

}  // namespace envpool::robotics
