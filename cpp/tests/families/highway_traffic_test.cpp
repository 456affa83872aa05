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
