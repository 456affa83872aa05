// Tests which values options take, and what is said of the others.
#include "envpool/options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace envpool {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

OptionSpec Number(Limits limits = {}) { return {"x", 0.0, "", limits}; }

TEST(Options, NumbersAreFiniteUnlessTheLimitsSayOtherwise) {
  EXPECT_TRUE(Number().Allows(-1e308));
  EXPECT_FALSE(Number().Allows(kInf));
  EXPECT_EQ(Number().Expected(), "a finite number");
  EXPECT_TRUE(Number(kAnyNumber).Allows(-kInf));
  EXPECT_EQ(Number(kAnyNumber).Expected(), "a number, not NaN");
}

TEST(Options, NanIsNeverAllowed) {
  for (const Limits limits : {Limits(), kAnyNumber, kNotNegative, kPositive, kProbability}) {
    EXPECT_FALSE(Number(limits).Allows(std::nan("")));
  }
}

TEST(Options, LimitsIncludeTheirEnds) {
  EXPECT_TRUE(Number(kProbability).Allows(0.0));
  EXPECT_TRUE(Number(kProbability).Allows(1.0));
  EXPECT_FALSE(Number(kProbability).Allows(std::nextafter(1.0, 2.0)));
  EXPECT_EQ(Number(kProbability).Expected(), "0 <= x <= 1");
  EXPECT_FALSE(Number(kPositive).Allows(0.0));
  EXPECT_EQ(Number(kPositive).Expected(), "0 < x");
  EXPECT_EQ(Number({.most = 1e6}).Expected(), "x <= 1e+06");
}

TEST(Options, IntegersHaveLimitsToo) {
  const OptionSpec version = {"version", std::int64_t{1}, "", {0, 1}};
  EXPECT_TRUE(version.Allows(std::int64_t{0}));
  EXPECT_FALSE(version.Allows(std::int64_t{7}));
  const OptionSpec steps = {"steps", std::int64_t{1}, "", {1, 1e6}};
  EXPECT_EQ(steps.Expected(), "1 <= steps <= 1000000");
}

TEST(Options, EachNumberOfAListIsChecked) {
  OptionSpec range = {"range", std::vector<double>(), ""};
  EXPECT_TRUE(range.Allows(std::vector{1.0, 2.0}));
  EXPECT_FALSE(range.Allows(std::vector{1.0, kInf}));
  EXPECT_EQ(range.Expected(), "finite numbers");
  range.limits = kAnyNumber;
  EXPECT_TRUE(range.Allows(std::vector{-kInf, kInf}));
  EXPECT_EQ(range.Expected(), "numbers, none of them NaN");
}

TEST(Options, AStringIsOneOfTheChoicesIfThereAreAny) {
  OptionSpec mode = {"mode", "a", ""};
  EXPECT_TRUE(mode.Allows(std::string("c")));
  mode.choices = {"a", "b"};
  EXPECT_TRUE(mode.Allows(std::string("b")));
  EXPECT_FALSE(mode.Allows(std::string("c")));
  EXPECT_EQ(mode.Expected(), "'a' or 'b'");
}

TEST(Options, DefaultsOfNoneTakeAnyNumber) {
  const OptionSpec maybe = {"maybe", std::monostate(), ""};
  EXPECT_TRUE(maybe.Allows(std::monostate()));
  EXPECT_TRUE(maybe.Allows(1.0));
}

}  // namespace
}  // namespace envpool
