#include "minigrid/wfc/component.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "minigrid/wfc/tuple_set.h"

namespace envpool::minigrid::wfc {
namespace {

std::size_t IndexOf(Point at, int side) { return static_cast<std::size_t>(at.x * side + at.y); }

// networkx's grid graphs have a cell's neighbours in this order.
constexpr std::array<Point, 4> kNeighbors = {Point{-1, 0}, {0, -1}, {1, 0}, {0, 1}};

// Returns the cells that hang together with a cell, breadth first, and closes them.
std::vector<Point> TakeComponent(Point first, std::vector<bool>& is_open, int side) {
  std::vector<Point> component = {first};
  is_open[IndexOf(first, side)] = false;
  for (std::size_t i = 0; i < component.size(); ++i) {
    for (const Point way : kNeighbors) {
      const Point to = component[i] + way;
      if (to.x < 0 || to.y < 0 || to.x >= side || to.y >= side) continue;
      if (!is_open[IndexOf(to, side)]) continue;
      is_open[IndexOf(to, side)] = false;
      component.push_back(to);
    }
  }
  return component;
}

std::vector<Point> OrderOfSet(std::span<const Point> added) {
  TupleSet set;
  for (const Point cell : added) set.Add(cell);
  return set.Items();
}

}  // namespace

std::vector<Point> LargestComponent(const std::vector<bool>& is_open, int side) {
  std::vector<bool> left = is_open;
  std::vector<Point> largest;
  for (int x = 0; x < side; ++x) {
    for (int y = 0; y < side; ++y) {
      if (!left[IndexOf({x, y}, side)]) continue;
      std::vector<Point> component = TakeComponent({x, y}, left, side);
      if (component.size() > largest.size()) largest = std::move(component);
    }
  }
  if (largest.size() < 2) return {};
  const auto open = static_cast<std::size_t>(std::ranges::count(is_open, true));
  if (2 * largest.size() >= open) {
    std::ranges::sort(largest, {}, [side](Point at) { return IndexOf(at, side); });
    return largest;
  }
  // A filter of few nodes is iterated itself, which is a set. So is the search's result, of which
  // networkx makes a subgraph, and of that another one.
  for (int sets = 0; sets < 3; ++sets) largest = OrderOfSet(largest);
  return largest;
}

}  // namespace envpool::minigrid::wfc
