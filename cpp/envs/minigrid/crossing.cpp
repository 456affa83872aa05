// Crossing and LavaGap: find the openings in lava, or in walls. Follow minigrid/envs/crossing.py
// and lavagap.py.
#include <algorithm>
#include <vector>

#include "minigrid/level.h"

namespace envpool::minigrid {
namespace {

const OptionSpec obstacle_type = {
    "obstacle_type", "lava", "what is in the way", {}, {"lava", "wall"}};

// What bars an agent's way: lava or walls.
struct Obstacle {
  explicit Obstacle(const Options& options) : is_lava(options.Text("obstacle_type") == "lava") {}

  Handle MakeIn(Grid& grid) const { return is_lava ? grid.MakeLava() : kWall; }
  const char* Mission() const {
    return is_lava ? "avoid the lava and get to the green goal square"
                   : "find the opening and get to the green goal square";
  }

  const bool is_lava;
};

// A river lies across columns or rows, and so leads the way from a room to the next one.
enum class Axis { kColumn, kRow };

struct River {
  Axis axis;
  int position;
};

class Crossing final : public SquareWorld {
 public:
  explicit Crossing(const Options& options)
      : SquareWorld(options, 4), obstacle_(options), crossings_(options.Integer("num_crossings")) {}

  static Size SizeOf(const Options& options) { return OddSquareOf(options); }

  void Generate() override {
    const int size = grid_.Width();
    grid_.WallRect({0, 0}, {size, size});
    agent_.position = {1, 1};
    agent_.direction = 0;
    grid_.Put({size - 2, size - 2}, grid_.MakeGoal());
    const std::vector<River> rivers = DrawRivers();
    const std::vector<int> columns = PositionsOf(rivers, Axis::kColumn);
    const std::vector<int> rows = PositionsOf(rivers, Axis::kRow);
    const Handle obstacle = obstacle_.MakeIn(grid_);
    for (const int y : rows) grid_.HorizontalWall(1, y, size - 2, obstacle);
    for (const int x : columns) grid_.VerticalWall(x, 1, size - 2, obstacle);
    MakeOpenings(columns, rows);
    mission_ = obstacle_.Mission();
  }

 private:
  std::vector<River> DrawRivers() {
    std::vector<River> rivers;
    for (int i = 2; i < grid_.Height() - 2; i += 2) rivers.push_back({Axis::kColumn, i});
    for (int j = 2; j < grid_.Width() - 2; j += 2) rivers.push_back({Axis::kRow, j});
    Generator().Shuffle(rivers);
    const auto count = std::min(static_cast<std::size_t>(crossings_), rivers.size());
    return {rivers.begin(), rivers.begin() + static_cast<std::ptrdiff_t>(count)};
  }

  static std::vector<int> PositionsOf(const std::vector<River>& rivers, Axis axis) {
    std::vector<int> positions;
    for (const River& river : rivers) {
      if (river.axis == axis) positions.push_back(river.position);
    }
    std::ranges::sort(positions);
    return positions;
  }

  // Opens the way from room to room, across all rivers in a random order.
  void MakeOpenings(const std::vector<int>& columns, const std::vector<int>& rows) {
    std::vector<Axis> path(columns.size(), Axis::kRow);
    path.insert(path.end(), rows.size(), Axis::kColumn);
    Generator().Shuffle(path);
    const std::vector<int> limits_x = WithBorders(columns);
    const std::vector<int> limits_y = WithBorders(rows);
    std::size_t i = 0;
    std::size_t j = 0;
    for (const Axis direction : path) {
      if (direction == Axis::kRow) {
        grid_.Set({limits_x[i + 1], DrawBetween(limits_y[j], limits_y[j + 1])}, kNone);
        ++i;
      } else {
        grid_.Set({DrawBetween(limits_x[i], limits_x[i + 1]), limits_y[j + 1]}, kNone);
        ++j;
      }
    }
  }

  std::vector<int> WithBorders(std::vector<int> positions) const {
    positions.insert(positions.begin(), 0);
    positions.push_back(grid_.Width() - 1);
    return positions;
  }

  int DrawBetween(int low, int high) {
    return low + 1 + static_cast<int>(Generator().Choice(high - low - 1));
  }

  const Obstacle obstacle_;
  const std::int64_t crossings_;
};

class LavaGap final : public SquareWorld {
 public:
  explicit LavaGap(const Options& options) : SquareWorld(options, 4), obstacle_(options) {}

  void Generate() override {
    const int size = grid_.Width();
    grid_.WallRect({0, 0}, {size, size});
    agent_.position = {1, 1};
    agent_.direction = 0;
    grid_.Put({size - 2, size - 2}, grid_.MakeGoal());
    const Point gap = RandPos(2, size - 2, 1, size - 1);
    grid_.VerticalWall(gap.x, 1, size - 2, obstacle_.MakeIn(grid_));
    grid_.Set(gap, kNone);
    mission_ = obstacle_.Mission();
  }

 private:
  const Obstacle obstacle_;
};

[[maybe_unused]] const bool registered = [] {
  RegisterLevel<Crossing>("MiniGridCrossing",
                          {SizeOption(9, 5),
                           obstacle_type,
                           {"num_crossings", 1, "how many rivers there are", {0, 1000}}});
  RegisterLevel<LavaGap>("MiniGridLavaGap", {SizeOption(7, 5), obstacle_type});
  return true;
}();

}  // namespace
}  // namespace envpool::minigrid
