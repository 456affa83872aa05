// Traffic: the vehicles and objects on a network of roads, and how they move. As in
// highway_env/road/road.py, and the vehicles' methods.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "envpool/archive.h"
#include "envpool/random.h"
#include "highway/network.h"
#include "highway/vehicle.h"

namespace envpool::highway {

enum class Meta { kNone, kIdle, kLeft, kRight, kFaster, kSlower };

// Of a bicycle: x, y, heading, speed, lateral speed, yaw rate.
using BicycleState = std::array<double, 6>;
BicycleState StateOf(const Vehicle& vehicle);
// Returns the derivative of a state, where the vehicle does what it does now.
BicycleState DerivativeOf(const Vehicle& vehicle, const BicycleState& state);

// Upstream's classes of vehicles that drive by themselves. Those after the first decide linearly.
enum class Drivers { kIdm, kLinear, kAggressive, kDefensive };

// What drivers want (M. Treiber et al., "Congested Traffic States in Empirical Observations and
// Microscopic Simulations", 2000); units are m and s.
struct Manners {
  double comfort_acceleration = 3.0;
  double comfort_braking = -5.0;
  double distance = 5.0 + kVehicleLength;
  double time_gap = 1.5;
  double lane_change_gain = 0.2;
};

class Traffic {
 public:
  void Clear() {
    vehicles.clear();
    objects.clear();
    steps_ = 0;
  }

  // --- making ----------------------------------------------------------------------------------

  // Makes a vehicle, without putting it on the road. The target is where it is, at its speed.
  Vehicle Make(Kind kind, Point position, double heading, double speed) const;
  Vehicle MakeOnLane(Kind kind, LaneIndex lane, double longitudinal, double speed) const {
    return Make(kind, network[lane].Position(longitudinal, 0.0),
                network[lane].HeadingAt(longitudinal), speed);
  }
  void PlanRoute(Vehicle& vehicle, std::string_view goal) const {
    vehicle.has_route = true;
    vehicle.route = network.Plan(vehicle.lane, goal);
  }
  void AddObstacle(Point position, double heading = 0.0, double length = 2.0, double width = 2.0);

  // Draws how a driver behaves.
  void Randomize(Vehicle& driver, Random& random) const;

  // Draws a place behind the last vehicle of a road, farther away by `spacing`, as upstream's
  // Vehicle.create_random; draws the lane if it is negative, and the speed if there is none.
  Vehicle MakeRandom(Kind kind, std::optional<double> speed, LaneIndex first, int id,
                     double spacing, Random& random) const;

  // --- moving ----------------------------------------------------------------------------------

  // Has a vehicle of kind kMeta do something.
  void Drive(Vehicle& vehicle, Meta action) const;
  // Has all vehicles decide.
  void Act();
  void Step(double seconds);
  // Moves one vehicle, whatever is in its way.
  void Move(Vehicle& vehicle, double seconds) const;

  // --- looking ---------------------------------------------------------------------------------

  // The distance along a vehicle's lane to another one, m.
  double LaneDistance(const Vehicle& vehicle, const Vehicle& other) const {
    const Lane& lane = network[vehicle.lane];
    return lane.Local(other.position).longitudinal - lane.Local(vehicle.position).longitudinal;
  }
  bool IsOnRoad(const Vehicle& vehicle) const {
    const Lane& lane = network[vehicle.lane];
    return lane.Contains(lane.Local(vehicle.position));
  }
  // The closest vehicles and objects; `most` of them, or all if that is 0.
  std::vector<const Vehicle*> Close(const Vehicle& vehicle, std::size_t most, bool behind,
                                    bool sorted, bool only_vehicles) const;
  int SpeedIndex(double speed) const;

  Vehicle& Player(int number = 0) { return vehicles[PlaceOf(number)]; }
  const Vehicle& Player(int number = 0) const { return vehicles[PlaceOf(number)]; }

  void Serialize(Archive& archive);

  Network network;
  std::vector<Vehicle> vehicles;
  std::vector<Vehicle> objects;
  Manners manners;
  Drivers drivers = Drivers::kIdm;
  std::vector<double> target_speeds = {20.0, 25.0, 30.0};
  bool looks_beyond_lanes = false;  // upstream's neighbour_vehicles_connected_lanes
  bool has_priorities = false;      // upstream's RegulatedRoad

 private:
  // A vehicle or object that is on a lane, and how far along it.
  struct Passer {
    double longitudinal = 0.0;
    const Vehicle* vehicle = nullptr;
  };

  struct Neighbours {
    const Vehicle* front = nullptr;
    const Vehicle* rear = nullptr;
  };

  std::size_t PlaceOf(int number) const;
  Neighbours Around(const Vehicle& vehicle, LaneIndex lane);
  const std::vector<Passer>& PassersOf(LaneIndex lane);
  void FollowRoad(Vehicle& vehicle) const;
  double SteeringTo(const Vehicle& vehicle, LaneIndex target) const;
  void ThinkOfLaneChange(Vehicle& vehicle);
  bool IsLaneChangeWorthwhile(const Vehicle& vehicle, LaneIndex lane);
  double DesiredGap(const Vehicle& vehicle, const Vehicle& front) const;
  double LinearAcceleration(const Vehicle& driver, const Vehicle* vehicle,
                            const Vehicle* front) const;
  double LinearSteering(const Vehicle& vehicle) const;
  double FreeAcceleration(const Vehicle& driver, const Vehicle& vehicle) const;
  double Acceleration(const Vehicle& driver, const Vehicle* vehicle, const Vehicle* front) const;
  void DriveItself(Vehicle& vehicle);
  void Handle(Vehicle& vehicle, Vehicle& other, double seconds) const;

  int steps_ = 0;  // counted for priorities

  // That of the driver who decides, if nobody were ahead: needed several times.
  double own_acceleration_ = 0.0;

  // By lane who is on it, in the order of the lists, once somebody has looked; nothing moves while
  // vehicles decide.
  std::vector<std::vector<Passer>> passers_;
  std::vector<bool> are_passers_known_;
  std::vector<Point> places_;  // of all vehicles, while collisions are looked for
};

}  // namespace envpool::highway
