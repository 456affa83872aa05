// What specs of several kinds have in common, and what is said of those that don't go together.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <stdexcept>

#include "loading/pool_spec.h"

namespace envpool {
namespace {

Spec Grid(int num_actions) {
  return {.observation = {Box("obs", DType::kUInt8, {4, 84, 84}, {0}, {255})},
          .action = {Discrete("action", num_actions)},
          .info = {Box("lives", DType::kInt32, {})}};
}

// What is said of a kind that differs from the first in this way.
std::string Difference(const std::function<void(Spec&)>& change) {
  Spec other = Grid(3);
  change(other);
  try {
    CommonSpec(std::array{NamedSpec{"A", Grid(3)}, NamedSpec{"B", other}});
    return "";
  } catch (const std::invalid_argument& error) {
    const std::string message = error.what(), begin = "A and B don't go together in one pool: ";
    EXPECT_TRUE(message.starts_with(begin)) << message;
    return message.substr(begin.size());
  }
}

TEST(CommonSpec, HasTheMostActions) {
  const std::array specs{NamedSpec{"A", Grid(4)}, NamedSpec{"B", Grid(18)},
                         NamedSpec{"C", Grid(6)}};
  EXPECT_EQ(CommonSpec(specs), Grid(18));
  EXPECT_EQ(CommonSpec(std::span(specs).first(1)), Grid(4));
}

TEST(CommonSpec, TellsWhatDiffers) {
  EXPECT_EQ(Difference([](Spec&) {}), "");
  EXPECT_EQ(
      Difference([](Spec& spec) { spec.observation[0].shape = {4, 84}; }),
      "the shape of the observation 'obs' is (4, 84, 84) in the one and (4, 84) in the other");
  EXPECT_EQ(Difference([](Spec& spec) { spec.observation[0].dtype = DType::kInt32; }),
            "the dtype of the observation 'obs' is uint8 in the one and int32 in the other");
  EXPECT_EQ(Difference([](Spec& spec) { spec.observation[0].high = {1}; }),
            "the largest value of the observation 'obs' is 255 in the one and 1 in the other");
  EXPECT_EQ(Difference([](Spec& spec) { spec.info = {}; }),
            "the list of infos is ['lives'] in the one and [] in the other");
  EXPECT_EQ(Difference([](Spec& spec) { spec.max_num_players = 2; }),
            "max_num_players is 1 in the one and 2 in the other");
  EXPECT_EQ(Difference([](Spec& spec) { spec.action[0] = Box("action", DType::kInt32, {}); }),
            "the space of the action 'action' is Discrete in the one and Box in the other");
  EXPECT_EQ(Difference([](Spec& spec) { spec.action[0] = Discrete("action", 3, 1); }),
            "the least value of the action 'action' is 0 in the one and 1 in the other");
  EXPECT_EQ(Difference([](Spec& spec) { spec.observation_structure = Structure::kDict; }),
            "the structure of observations is a single array in the one and a dict in the other");
}

}  // namespace
}  // namespace envpool
