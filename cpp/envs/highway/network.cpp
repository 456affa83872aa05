#include "highway/network.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <ranges>
#include <stdexcept>
#include <utility>

namespace envpool::highway {

int Network::NodeOf(std::string_view name) {
  const int known = Node(name);
  if (known >= 0) return known;
  nodes_.emplace_back(name);
  return static_cast<int>(nodes_.size()) - 1;
}

int Network::Node(std::string_view name) const {
  const auto found = std::ranges::find(nodes_, name);
  return found == nodes_.end() ? -1 : static_cast<int>(found - nodes_.begin());
}

void Network::Add(std::string_view from, std::string_view to, Lane lane) {
  const int start = NodeOf(from);
  const int end = NodeOf(to);
  const auto is_it = [=](const Added& road) { return road.from == start && road.to == end; };
  auto road = std::ranges::find_if(added_, is_it);
  if (road == added_.end()) road = added_.insert(added_.end(), {start, end, {}});
  road->lanes.push_back(std::move(lane));
  if (std::ranges::find(starts_, start) == starts_.end()) starts_.push_back(start);
}

void Network::AddHighway(std::string_view from, std::string_view to, int lanes, double start,
                         double length, double speed_limit) {
  for (int id = 0; id < lanes; ++id) {
    const double y = id * kLaneWidth;
    Lane lane = Lane::Straight({start, y}, {start + length, y});
    lane.lines = {id == 0 ? Line::kContinuousLine : Line::kStriped,
                  id == lanes - 1 ? Line::kContinuousLine : Line::kNone};
    lane.speed_limit = speed_limit;
    Add(from, to, lane);
  }
}

void Network::Finish() {
  roads_from_.resize(nodes_.size());
  for (const int start : starts_) {
    for (Added& road : added_) {
      if (road.from != start) continue;
      const auto index = static_cast<int>(roads_.size());
      roads_.push_back({start, road.to, static_cast<LaneIndex>(lanes_.size()),
                        static_cast<int>(road.lanes.size())});
      roads_from_[Place(start)].push_back(index);
      for (int id = 0; Lane& lane : road.lanes) {
        lane.road = index;
        lane.id = id++;
        lanes_.push_back(lane);
      }
    }
  }
  added_.clear();
  for (LaneIndex index = 0; std::cmp_less(index, lanes_.size()); ++index) {
    continued_.push_back(ContinuingOf(index));
  }
}

LaneIndex Network::Find(std::string_view from, std::string_view to, int id) const {
  for (const Road& road : roads_) {
    if (nodes_[Place(road.from)] != from || nodes_[Place(road.to)] != to) continue;
    if (id < 0) id += road.lanes;
    if (id >= 0 && id < road.lanes) return road.first + id;
  }
  throw std::logic_error("there is no lane " + std::to_string(id) + " from " + std::string(from) +
                         " to " + std::string(to));
}

std::vector<Network::Continued> Network::ContinuingOf(LaneIndex index) const {
  const Lane& lane = (*this)[index];
  const Road& road = RoadOf(index);
  const auto lane_of = [&lane](const Road& other) {
    return other.first + (lane.id < other.lanes ? lane.id : 0);
  };
  std::vector<Continued> result;
  for (const int next : roads_from_[Place(road.to)]) {
    result.push_back({lane_of(roads_[Place(next)]), lane.length});
  }
  for (const Road& other : roads_) {
    if (other.to != road.from) continue;
    const LaneIndex before = lane_of(other);
    result.push_back({before, -(*this)[before].length});
  }
  return result;
}

LaneIndex Network::Closest(Point position, double heading, LaneIndex likely) const {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  LaneIndex closest = 0;
  double least = kFar;
  if (likely != kNoLane) {
    closest = likely;
    least = (*this)[likely].Distance(position, heading, kFar);
  }
  for (LaneIndex index = 0; std::cmp_less(index, lanes_.size()); ++index) {
    if (index == likely) continue;
    const double distance = lanes_[Place(index)].Distance(position, heading, least);
    if (distance < least || (distance == least && index < closest)) {
      least = distance;
      closest = index;
    }
  }
  // Numbers that are none: upstream takes the first.
  return least < kFar ? closest : 0;
}

LaneIndex Network::OnNextRoad(LaneIndex current, const Road& next, int id, Point position) const {
  if (LanesBeside(current) == next.lanes) {
    return next.first + (id == RouteStep::kAnyLane ? (*this)[current].id : id);
  }
  const auto distance_to = [&](int lane) { return (*this)[next.first + lane].Distance(position); };
  return next.first + std::ranges::min(std::views::iota(0, next.lanes), {}, distance_to);
}

LaneIndex Network::Next(LaneIndex current, Route& route, Point position) const {
  const Lane& lane = (*this)[current];
  const Road& road = RoadOf(current);
  if (!route.empty() && route.front().road == lane.road) route.erase(route.begin());
  const Point projected = lane.Position(lane.Local(position).longitudinal, 0.0);
  if (!route.empty()) {
    const Road& next = roads_[Place(route.front().road)];
    if (next.from == road.to) return OnNextRoad(current, next, route.front().id, projected);
  }
  LaneIndex best = current;
  double least = std::numeric_limits<double>::infinity();
  for (const int index : roads_from_[Place(road.to)]) {
    const LaneIndex next =
        OnNextRoad(current, roads_[Place(index)], RouteStep::kAnyLane, projected);
    const double distance = (*this)[next].Distance(projected);
    if (distance < least || best == current) {
      least = distance;
      best = next;
    }
  }
  return best;
}

Route Network::Plan(LaneIndex start, std::string_view goal) const {
  const Lane& lane = (*this)[start];
  Route route = {{lane.road, lane.id}};
  const auto name_of_end = [this](int road) -> const std::string& {
    return nodes_[Place(roads_[Place(road)].to)];
  };
  // Breadth first, among the roads from a node by the names of their ends.
  std::deque<std::vector<int>> paths = {{}};
  const int first = RoadOf(start).to;
  while (!paths.empty()) {
    const std::vector<int> path = std::move(paths.front());
    paths.pop_front();
    const int node = path.empty() ? first : roads_[Place(path.back())].to;
    std::vector<int> roads = roads_from_[Place(node)];
    std::ranges::sort(roads, {}, name_of_end);
    for (const int road : roads) {
      const int end = roads_[Place(road)].to;
      const auto ends_there = [&](int other) { return roads_[Place(other)].to == end; };
      if (end == first || std::ranges::any_of(path, ends_there)) continue;
      std::vector<int> longer = path;
      longer.push_back(road);
      if (nodes_[Place(end)] == goal) {
        for (const int step : longer) route.push_back({step, RouteStep::kAnyLane});
        return route;
      }
      if (!roads_from_[Place(end)].empty()) paths.push_back(std::move(longer));
    }
  }
  return route;
}

bool Network::Leads(const Road& start, const Road& goal, const Route& route, std::size_t done,
                    int depth) const {
  const auto is_same = [](const Road& a, const Road& b) {
    return a.from == b.from && a.to == b.to;
  };
  if (is_same(start, goal) || goal.to == start.from) return true;
  if (depth <= 0) return false;
  if (done < route.size()) {
    const Road& next = roads_[Place(route[done].road)];
    if (is_same(next, start)) return Leads(start, goal, route, done + 1, depth);
    if (next.from == start.to) return Leads(next, goal, route, done + 1, depth - 1);
  }
  return std::ranges::any_of(roads_from_[Place(start.to)], [&](int road) {
    return Leads(roads_[Place(road)], goal, route, done, depth - 1);
  });
}

LaneIndex Network::LaneOf(const RouteStep& step, LaneIndex current) const {
  const Road& road = roads_[Place(step.road)];
  if (step.id != RouteStep::kAnyLane) return road.first + step.id;
  // Upstream's guess is that the vehicle keeps its lane; where there is none it has no answer.
  return road.first + std::min((*this)[current].id, road.lanes - 1);
}

Point Network::Ahead(const Route& route, LaneIndex current, double longitudinal,
                     double* heading) const {
  LaneIndex index = route.empty() ? current : LaneOf(route[0], current);
  for (std::size_t i = 1; i < route.size() && longitudinal > (*this)[index].length; ++i) {
    longitudinal -= (*this)[index].length;
    index = LaneOf(route[i], current);
  }
  const Lane& lane = (*this)[index];
  *heading = lane.HeadingAt(longitudinal);
  return lane.Position(longitudinal, 0.0);
}

}  // namespace envpool::highway
