// Compares what an agent sees with minigrid's loops over single cells.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "minigrid/view.h"

namespace envpool::minigrid {
namespace {

// minigrid's Grid.process_vis, for a view whose cells at [i * size + j] can be seen through or not.
std::vector<bool> Visible(const std::vector<bool>& open, int size) {
  std::vector<bool> mask(open.size());
  const auto at = [size](int i, int j) { return static_cast<std::size_t>(i * size + j); };
  const auto light = [&](int i, int j, int step) {
    if (!mask[at(i, j)] || !open[at(i, j)]) return;
    mask[at(i + step, j)] = true;
    if (j == 0) return;
    mask[at(i + step, j - 1)] = true;
    mask[at(i, j - 1)] = true;
  };
  mask[at(size / 2, size - 1)] = true;
  for (int j = size - 1; j >= 0; --j) {
    for (int i = 0; i < size - 1; ++i) light(i, j, 1);
    for (int i = size - 1; i > 0; --i) light(i, j, -1);
  }
  return mask;
}

class Worlds {
 public:
  int Draw(int low, int high) { return std::uniform_int_distribution(low, high - 1)(bits_); }

  // Draws a grid in which some cells have walls, closed doors or balls.
  Grid DrawGrid() {
    Grid grid({Draw(3, 40), Draw(3, 40)});
    const int empty = Draw(4, 30);
    for (int x = 0; x < grid.Width(); ++x) {
      for (int y = 0; y < grid.Height(); ++y) {
        switch (Draw(0, empty)) {
          case 0: grid.Set({x, y}, kWall); break;
          case 1: grid.Set({x, y}, grid.MakeDoor(Color::kBlue)); break;
          case 2: grid.Set({x, y}, grid.Make(Type::kBall, Color::kRed)); break;
          default: break;
        }
      }
    }
    return grid;
  }

  Pose DrawPose(const Grid& grid) {
    return {.position = {Draw(0, grid.Width()), Draw(0, grid.Height())}, .direction = Draw(0, 4)};
  }

 private:
  std::mt19937 bits_{1};
};

void Compare(const Grid& grid, const Pose& pose, int size, bool sees_through_walls) {
  const View view(size, sees_through_walls);
  std::vector<bool> open;
  std::vector<std::uint32_t> codes;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      const Object& object = grid[grid.At(view.CellAt(pose, i, j))];
      open.push_back(object.SeeBehind());
      codes.push_back(CodeOf(object));
    }
  }
  const std::vector<bool> visible =
      sees_through_walls ? std::vector<bool>(open.size(), true) : Visible(open, size);
  const Sight sight = view.See(grid, pose);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      const auto k = static_cast<std::size_t>(i * size + j);
      ASSERT_EQ(sight.visible[static_cast<std::size_t>(j)] >> i & 1, visible[k] ? 1 : 0);
      const bool is_agent = i == size / 2 && j == size - 1;
      const std::uint32_t expected = is_agent ? CodeOf(grid[kNone]) : visible[k] ? codes[k] : 0;
      ASSERT_EQ(sight.codes[k], expected);
    }
  }
}

TEST(ViewTest, AnAgentSeesWhatMinigridsDoes) {
  Worlds worlds;
  for (int size = 3; size <= kLargestView; size += 2) {
    for (int count = 0; count < 100; ++count) {
      const Grid grid = worlds.DrawGrid();
      Compare(grid, worlds.DrawPose(grid), size, count % 5 == 0);
    }
  }
}

TEST(ViewTest, ACellOfTheViewIsInFrontOfTheAgentOrBesideIt) {
  const View view(5, true);
  const Pose pose = {.position = {10, 20}, .direction = 1};  // down
  EXPECT_EQ(view.CellAt(pose, 2, 4), pose.position);
  EXPECT_EQ(view.CellAt(pose, 2, 3), pose.Front());
  EXPECT_EQ(view.CellAt(pose, 3, 4), (Point{9, 20}));
}

}  // namespace
}  // namespace envpool::minigrid
