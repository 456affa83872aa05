// Network: roads between nodes, each of one or more lanes, as in highway_env/road/road.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "highway/lane.h"

namespace envpool::highway {

// A lane by its place in a network. Upstream's index is (from, to, id), by which lanes are ordered
// here: roads by when their first node was first used, then by their second.
using LaneIndex = int;
inline constexpr LaneIndex kNoLane = -1;

// A part of a route: a road, and perhaps the number of the lane to be on.
struct RouteStep {
  int road = 0;
  int id = kAnyLane;

  static constexpr int kAnyLane = -1;
};
using Route = std::vector<RouteStep>;

class Network {
 public:
  struct Road {
    int from = 0;
    int to = 0;
    LaneIndex first = 0;
    int lanes = 0;
  };

  // Another lane, as seen from one that it continues: `offset` m behind that one's start.
  struct Continued {
    LaneIndex lane = 0;
    double offset = 0.0;
  };

  // Adds a lane to the road between two nodes. All lanes are added before Finish, which comes
  // before everything else.
  void Add(std::string_view from, std::string_view to, Lane lane);

  // Adds lanes along the x axis, the first one at y = 0.
  void AddHighway(std::string_view from, std::string_view to, int lanes, double start,
                  double length, double speed_limit);
  void Finish();

  // Changes a lane, but not its form.
  Lane& Changed(LaneIndex index) { return lanes_[Place(index)]; }

  const Lane& operator[](LaneIndex index) const { return lanes_[Place(index)]; }
  const std::vector<Lane>& Lanes() const { return lanes_; }
  const std::vector<Road>& Roads() const { return roads_; }
  const Road& RoadOf(LaneIndex index) const { return roads_[Place((*this)[index].road)]; }
  int LanesBeside(LaneIndex index) const { return RoadOf(index).lanes; }
  const std::string& NameOf(int node) const { return nodes_[Place(node)]; }

  // Returns a lane; one that must be there. A negative id counts from the end.
  LaneIndex Find(std::string_view from, std::string_view to, int id) const;
  // Returns a node, or -1 if there is none of this name.
  int Node(std::string_view name) const;
  // Returns the roads that start at a node, by their places among Roads().
  const std::vector<int>& RoadsFrom(int node) const { return roads_from_[Place(node)]; }
  // Returns the nodes at which roads start, in upstream's order.
  const std::vector<int>& Starts() const { return starts_; }

  // Returns the first of the lanes that are closest to a place and heading. `likely` is a guess,
  // which changes nothing but the time this takes.
  LaneIndex Closest(Point position, double heading, LaneIndex likely) const;

  // Returns the lane that comes after this one, which a vehicle has driven along; drops the part of
  // its route that is done.
  LaneIndex Next(LaneIndex current, Route& route, Point position) const;

  // Returns a route along the shortest path to a node; only the lane itself if there is none.
  Route Plan(LaneIndex start, std::string_view goal) const;

  // True if a vehicle on lane `start` comes to the road of `other` within `depth` roads.
  bool Leads(LaneIndex start, LaneIndex other, const Route& route, int depth) const {
    return Leads(RoadOf(start), RoadOf(other), route, 0, depth);
  }

  // Returns where on its route a vehicle on lane `current` will be.
  Point Ahead(const Route& route, LaneIndex current, double longitudinal, double* heading) const;

  // The lanes that lead into or out of a lane.
  const std::vector<Continued>& Continuing(LaneIndex index) const {
    return continued_[Place(index)];
  }

 private:
  struct Added {
    int from;
    int to;
    std::vector<Lane> lanes;
  };

  static std::size_t Place(int index) { return static_cast<std::size_t>(index); }

  int NodeOf(std::string_view name);
  std::vector<Continued> ContinuingOf(LaneIndex index) const;
  LaneIndex OnNextRoad(LaneIndex current, const Road& next, int id, Point position) const;
  bool Leads(const Road& start, const Road& goal, const Route& route, std::size_t done,
             int depth) const;
  LaneIndex LaneOf(const RouteStep& step, LaneIndex current) const;

  std::vector<std::string> nodes_;
  std::vector<Added> added_;
  std::vector<int> starts_;
  std::vector<Road> roads_;
  std::vector<Lane> lanes_;
  std::vector<std::vector<int>> roads_from_;  // by node
  std::vector<std::vector<Continued>> continued_;
};

}  // namespace envpool::highway
