// Roads and traffic of highway-env's tasks, without an environment around them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "highway/traffic.h"

namespace envpool::highway {
namespace {

// Two lanes from a to b, one on to c, and a way back.
Traffic MakeTraffic() {
  Traffic traffic;
  Network& network = traffic.network;
  network.AddHighway("a", "b", 2, 0.0, 100.0, 30.0);
  network.Add("b", "c", Lane::Circular({100, 20}, 20.0, -kPi / 2, 0.0));
  network.Add("c", "a", Lane::Straight({120, 20}, {0, 20}));
  network.Finish();
  return traffic;
}

TEST(Lane, PlacesGoThereAndBack) {
  const Lane lanes[] = {Lane::Straight({1, 2}, {40, 32}),
                        Lane::Sine({0, 0}, {80, 0}, 3.0, 0.1, 0.5),
                        Lane::Circular({3, 4}, 20.0, 0.0, -kPi / 2, false)};
  for (const Lane& lane : lanes) {
    const OnLane at = lane.Local(lane.Position(7.0, 1.5));
    EXPECT_NEAR(at.longitudinal, 7.0, 1e-9);
    EXPECT_NEAR(at.lateral, 1.5, 1e-9);
    EXPECT_TRUE(lane.Contains(at));
    EXPECT_FALSE(lane.Contains(lane.Local(lane.Position(7.0, 3.5))));
  }
}

TEST(Network, TheClosestLaneIsTheFirstOfEquals) {
  const Traffic traffic = MakeTraffic();
  const Network& network = traffic.network;
  for (LaneIndex likely = kNoLane; likely < 4; ++likely) {
    EXPECT_EQ(network.Closest({50, 2}, 0.0, likely), 0);  // in the middle of two
    EXPECT_EQ(network.Closest({50, 3}, 0.0, likely), 1);
    EXPECT_EQ(network.Closest({50, 20}, kPi, likely), network.Find("c", "a", 0));
    EXPECT_EQ(network.Closest({std::nan(""), 0}, 0.0, likely), 0);
  }
}

TEST(Network, RoutesAreFollowed) {
  Traffic traffic = MakeTraffic();
  const Network& network = traffic.network;
  Route route = network.Plan(1, "a");
  ASSERT_EQ(route.size(), 3U);
  EXPECT_EQ(route[0].id, 1);
  EXPECT_EQ(network.Next(1, route, {100, 4}), network.Find("b", "c", 0));
  EXPECT_EQ(route.size(), 2U);
  EXPECT_EQ(network.Plan(0, "nowhere").size(), 1U);
  EXPECT_TRUE(network.Leads(0, network.Find("c", "a", 0), {}, 2));
  EXPECT_FALSE(network.Leads(0, network.Find("b", "c", 0), {}, 0));
  EXPECT_THROW(network.Find("a", "b", 2), std::logic_error);
}

TEST(PythonSum, IsExactFromPython312On) {
  const auto sum_of_tenths = [] {
    PythonSum sum;
    for (int i = 0; i < 10; ++i) sum.Add(0.1);
    return sum.Total();
  };
  EXPECT_LT(sum_of_tenths(), 1.0);
  kernels.sums_floats_exactly = true;
  EXPECT_EQ(sum_of_tenths(), 1.0);
  kernels.sums_floats_exactly = false;
}

TEST(Traffic, VehiclesCollide) {
  Traffic traffic = MakeTraffic();
  traffic.vehicles.push_back(traffic.Make(Kind::kVehicle, {10, 0}, 0.0, 20.0));
  traffic.AddObstacle({16, 0});
  traffic.Step(0.1);
  EXPECT_FALSE(traffic.vehicles[0].is_crashed);
  EXPECT_TRUE(traffic.vehicles[0].has_impact);
  traffic.Step(0.1);
  EXPECT_TRUE(traffic.vehicles[0].is_crashed);
  EXPECT_TRUE(traffic.objects[0].is_crashed);
}

TEST(Traffic, DriversKeepTheirDistance) {
  Traffic traffic = MakeTraffic();
  for (const double x : {5.0, 40.0}) {
    const double speed = x < 10 ? 15.0 : 10.0;
    Vehicle& driver =
        traffic.vehicles.emplace_back(traffic.Make(Kind::kDriver, {x, 0}, 0.0, speed));
    driver.changes_lanes = false;
  }
  for (int i = 0; i < 60; ++i) {
    traffic.Act();
    traffic.Step(1.0 / 15);
  }
  EXPECT_FALSE(traffic.vehicles[0].is_crashed);
  EXPECT_LT(traffic.vehicles[0].speed, 15.0);
}

TEST(Traffic, ItsStateIsReadBackOrRefused) {
  Traffic traffic = MakeTraffic();
  traffic.vehicles.push_back(traffic.Make(Kind::kDriver, {10, 0}, 0.0, 20.0));
  traffic.PlanRoute(traffic.vehicles[0], "a");
  std::string bytes;
  Archive writer = Archive::Writer(bytes);
  traffic.Serialize(writer);
  Traffic other = MakeTraffic();
  Archive reader = Archive::Reader(bytes);
  other.Serialize(reader);
  ASSERT_EQ(other.vehicles.size(), 1U);
  EXPECT_EQ(other.vehicles[0].route.size(), 3U);
  Traffic small;
  small.network.AddHighway("a", "b", 1, 0.0, 100.0, 30.0);
  small.network.Finish();
  Archive again = Archive::Reader(bytes);
  EXPECT_THROW(small.Serialize(again), std::invalid_argument);
}

}  // namespace
}  // namespace envpool::highway
