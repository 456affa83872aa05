// A few numbers of numpy.random.default_rng; the Python tests compare a thousand seeds.
#include "envpool/random.h"

#include <gtest/gtest.h>

namespace envpool {
namespace {

TEST(Random, GivesNumpysNumbers) {
  Random random(42);
  EXPECT_EQ(random.Unit(), 0.7739560485559633);
  EXPECT_EQ(random.Unit(), 0.4388784397520523);
}

TEST(Random, CopiesGoOnAlike) {
  Random random(7);
  random.Integers(10);  // leaves half of a draw behind
  Random copy = random;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(random.Integers(1000), copy.Integers(1000));
    EXPECT_EQ(random.Normal(), copy.Normal());
  }
}

TEST(Random, RefusesEmptyRanges) {
  Random random(0);
  EXPECT_THROW(random.Integers(3, 3), std::invalid_argument);
  EXPECT_THROW(random.Choice(std::span<const double>()), std::invalid_argument);
  EXPECT_THROW(random.ChoiceWithoutReplacement(3, 4), std::invalid_argument);
}

}  // namespace
}  // namespace envpool
