#include "highway/regulation.h"

#include <vector>

namespace envpool::highway {

namespace {

struct Pose {
  Point position;
  double heading = 0.0;
};

// Where a vehicle will be if it goes on as now.
std::vector<Pose> Predict(const Traffic& traffic, const Vehicle& vehicle) {
  constexpr int kPredicted = 11;
  constexpr double kStep = 0.25;
  const Network& network = traffic.network;
  std::vector<Pose> poses(kPredicted);
  if (IsControlled(vehicle.kind)) {
    const double start = network[vehicle.lane].Local(vehicle.position).longitudinal;
    for (int i = 0; i < kPredicted; ++i) {
      Pose& pose = poses[static_cast<std::size_t>(i)];
      const double there = start + vehicle.speed * (kStep * (i + 1));
      pose.position = network.Ahead(vehicle.route, vehicle.lane, there, &pose.heading);
    }
    return poses;
  }
  Vehicle copy = vehicle;
  copy.acceleration = 0.0;
  for (Pose& pose : poses) {
    traffic.Move(copy, kStep);
    pose = {copy.position, copy.heading};
  }
  return poses;
}

bool MayCollide(const Vehicle& a, const std::vector<Pose>& poses_a, const Vehicle& b,
                const std::vector<Pose>& poses_b) {
  const auto around = [](const Vehicle& vehicle, const Pose& pose) {
    return Rectangle{pose.position, 1.5 * vehicle.length, 0.9 * vehicle.width, pose.heading};
  };
  for (std::size_t i = 0; i < poses_a.size(); ++i) {
    if (Norm(poses_b[i].position - poses_a[i].position) > a.length) continue;
    if (Intersect(around(a, poses_a[i]), around(b, poses_b[i]))) return true;
  }
  return false;
}

}  // namespace

void EnforcePriorities(Traffic& traffic) {
  const Network& network = traffic.network;
  std::vector<Vehicle>& vehicles = traffic.vehicles;
  for (Vehicle& vehicle : vehicles) {
    if (!vehicle.yields) continue;
    vehicle.target_speed = network[vehicle.lane].speed_limit;
    vehicle.yields = false;
  }
  std::vector<std::vector<Pose>> poses;
  for (const Vehicle& vehicle : vehicles) poses.push_back(Predict(traffic, vehicle));
  const auto distance_ahead = [](const Vehicle& vehicle, const Vehicle& other) {
    return Dot(vehicle.direction, other.position - vehicle.position);
  };
  for (std::size_t i = 0; i < vehicles.size(); ++i) {
    for (std::size_t j = i + 1; j < vehicles.size(); ++j) {
      Vehicle& a = vehicles[i];
      Vehicle& b = vehicles[j];
      if (!MayCollide(a, poses[i], b, poses[j])) continue;
      const int priority_a = network[a.lane].priority;
      const int priority_b = network[b.lane].priority;
      const bool is_a_behind = distance_ahead(a, b) > distance_ahead(b, a);
      const bool yields_a = priority_a == priority_b ? is_a_behind : priority_a < priority_b;
      Vehicle& yielding = yields_a ? a : b;
      if (yielding.kind != Kind::kDriver) continue;
      yielding.target_speed = 0.0;
      yielding.yields = true;
    }
  }
}

}  // namespace envpool::highway
