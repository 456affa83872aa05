// Levels by wave function collapse: go to the goal in a maze that looks like a small picture.
// Follow minigrid/envs/wfc/wfcenv.py.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "minigrid/level.h"
#include "minigrid/wfc/component.h"
#include "minigrid/wfc/wave.h"

namespace envpool::minigrid::wfc {
namespace {

class WaveFunctionCollapse final : public GridWorld {
 public:
  explicit WaveFunctionCollapse(const Options& options)
      : GridWorld(options, SizeOf(options), 20 * IntOf(options, "size")),
        side_(grid_.Width() - 2),
        sample_(SampleOf(options)),
        patterns_(sample_),
        ensures_connected_(options.Flag("ensure_connected")) {}

  static Size SizeOf(const Options& options) { return SquareOf(options); }

  void Generate() override {
    const std::vector<bool> is_open = DrawCells();
    const std::vector<Point> cells =
        ensures_connected_ ? LargestComponent(is_open, side_) : OpenCells(is_open);
    if (cells.size() < 2) throw Rejected("no cell is left for the goal");
    BuildWalls(cells);
    const std::vector<std::int64_t> order =
        Generator().Permutation(static_cast<std::int64_t>(cells.size()));
    agent_.position = InGrid(cells[static_cast<std::size_t>(order[0])]);
    grid_.Put(InGrid(cells[static_cast<std::size_t>(order[1])]), grid_.MakeGoal());
    agent_.direction = RandInt(0, 4);
    mission_ = "traverse the maze to get to the goal";
  }

 private:
  static constexpr int kMostAttempts = 1000;  // of upstream, too

  static const Sample& SampleOf(const Options& options) {
    return *std::ranges::find(kSamples, options.Text("wfc_preset"), &Sample::name);
  }

  // Returns the grid's cell of a drawn one, around which there is a wall.
  static Point InGrid(Point cell) { return cell + Point{1, 1}; }

  // Returns which cells have no wall, column by column.
  std::vector<bool> DrawCells() {
    std::vector<double> preferences(static_cast<std::size_t>(side_ * side_));
    for (double& preference : preferences) preference = Generator().Unit() * 0.1;
    Wave wave(patterns_, side_, sample_.is_periodic);
    for (int attempts = 0; attempts < kMostAttempts; ++attempts) {
      if (!wave.Collapse(preferences, Generator())) continue;
      std::vector<bool> is_open;
      for (std::size_t i = 0; i < preferences.size(); ++i) is_open.push_back(!wave.IsWall(i));
      return is_open;
    }
    throw Rejected("the patterns of the sample did not fit together in " +
                   std::to_string(kMostAttempts) + " attempts");
  }

  std::vector<Point> OpenCells(const std::vector<bool>& is_open) const {
    std::vector<Point> cells;
    for (int i = 0; i < side_ * side_; ++i) {
      if (is_open[static_cast<std::size_t>(i)]) cells.push_back({i / side_, i % side_});
    }
    return cells;
  }

  // Builds walls everywhere but in these cells.
  void BuildWalls(const std::vector<Point>& cells) {
    for (int x = 0; x < grid_.Width(); ++x) grid_.VerticalWall(x, 0, grid_.Height());
    for (const Point cell : cells) grid_.Set(InGrid(cell), kNone);
  }

  const int side_;  // without the outermost walls
  const Sample& sample_;
  const Patterns patterns_;
  const bool ensures_connected_;
};

std::vector<std::string> SampleNames() {
  std::vector<std::string> names;
  for (const Sample& sample : kSamples) names.emplace_back(sample.name);
  return names;
}

[[maybe_unused]] const bool registered = RegisterLevel<WaveFunctionCollapse>(
    "MiniGridWFC",
    {SizeOption(25, 4),
     {"wfc_preset", "MazeSimple", "of which picture levels are made", {}, SampleNames()},
     {"ensure_connected", true, "only the largest part that hangs together is left open"}});

}  // namespace
}  // namespace envpool::minigrid::wfc
