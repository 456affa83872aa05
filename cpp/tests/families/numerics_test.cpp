// How families on MuJoCo add products, as they are told that NumPy does.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "numerics/products.h"
#include "numerics/python_random.h"

namespace envpool::numerics {
namespace {

class NormTest : public testing::Test {
 protected:
  ~NormTest() override { SetProduct("dot", "rounded"); }
};

TEST_F(NormTest, AddsAsItIsTold) {
  int differ_fused = 0;
  int differ_pairs = 0;
  for (int k = 2; k < 66; ++k) {
    const std::array x = {std::sqrt(k), std::sqrt(k + 1.0), std::sqrt(k + 2.0)};
    SetProduct("dot", "rounded");
    const double rounded = Norm(x);
    EXPECT_EQ(rounded, std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
    SetProduct("dot", "fused");
    const double fused = Norm(x);
    EXPECT_EQ(fused, std::sqrt(std::fma(x[2], x[2], std::fma(x[1], x[1], x[0] * x[0]))));
    SetProduct("dot", "pairs");
    const double pairs = Norm(x);
    EXPECT_EQ(pairs, std::sqrt(x[0] * x[0] + x[2] * x[2] + x[1] * x[1]));
    differ_fused += rounded != fused ? 1 : 0;
    differ_pairs += rounded != pairs ? 1 : 0;
  }
  EXPECT_GT(differ_fused, 0);
  EXPECT_GT(differ_pairs, 0);
}

TEST_F(NormTest, TakesTwoElementsToo) {
  const std::array x = {3.0, 4.0};
  for (const char* way : {"rounded", "fused", "pairs"}) {
    SetProduct("dot", way);
    EXPECT_EQ(Norm(x), 5.0) << way;
  }
}

TEST_F(NormTest, RefusesAnotherWay) {
  EXPECT_THROW(SetProduct("dot", "sorted"), std::invalid_argument);
  EXPECT_THROW(SetProduct("dot", ""), std::invalid_argument);
  EXPECT_THROW(SetProduct("gemv", "pairs"), std::invalid_argument);
}

TEST(PythonRandomTest, DrawsWhatPythonDraws) {
  // random.Random(seed).randint(0, 2000000000), the first and the 700th.
  constexpr std::uint32_t kMost = 2'000'000'000;
  const auto drawn = [](std::uint64_t seed) {
    PythonRandom random(seed);
    std::array<std::uint32_t, 700> numbers;
    for (std::uint32_t& number : numbers) number = random.Integer(kMost);
    return std::array{numbers.front(), numbers.back()};
  };
  EXPECT_EQ(drawn(0), (std::array{1813382118U, 645207800U}));
  EXPECT_EQ(drawn(1ULL << 32), (std::array{242653419U, 499406185U}));
}

}  // namespace
}  // namespace envpool::numerics
