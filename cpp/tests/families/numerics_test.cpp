// How families add products, as NumPy does.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "numerics/loops.h"
#include "numerics/products.h"
#include "numerics/python_random.h"

namespace envpool::numerics {
namespace {

// A loop of NumPy's for matmul, which notes what it was called with.
struct Call {
  std::vector<std::intptr_t> sizes;
  bool is_aligned = false;
};

void AddBackwards(char** arguments, const std::intptr_t* sizes, const std::intptr_t*, void* data) {
  const auto* x = reinterpret_cast<const double*>(arguments[0]);
  const auto* y = reinterpret_cast<const double*>(arguments[1]);
  auto& call = *static_cast<Call*>(data);
  call.sizes.assign(sizes, sizes + 4);
  call.is_aligned = reinterpret_cast<std::uintptr_t>(x) % 16 == 0 &&
                    reinterpret_cast<std::uintptr_t>(y) % 16 == 0;
  double sum = 0.0;
  for (std::intptr_t i = sizes[2]; i-- > 0;) sum += x[i] * y[i];
  *reinterpret_cast<double*>(arguments[2]) = sum;
}

TEST(DotTest, RoundsEachProductWithoutNumpy) {
  const std::array x = {std::sqrt(2.0), std::sqrt(3.0), std::sqrt(5.0)};
  const std::array y = {std::sqrt(7.0), std::sqrt(11.0), std::sqrt(13.0)};
  EXPECT_EQ(Dot(x, y), x[0] * y[0] + x[1] * y[1] + x[2] * y[2]);
  EXPECT_EQ(Norm(std::array{3.0, 4.0}), 5.0);
}

TEST(DotTest, RefusesWhatItHasNoRoomForAndOtherLengths) {
  const std::vector<double> x(13, 1.0);
  EXPECT_THROW(Dot(x, x), std::length_error);
  EXPECT_THROW(Dot(std::span(x).first(3), std::span(x).first(2)), std::length_error);
  EXPECT_EQ(Dot(std::span(x).first(12), std::span(x).first(12)), 12.0);
}

TEST(DotTest, IsNumpysProductOfARowAndAColumn) {
  Call call;
  SetLoop("matmul",
          {reinterpret_cast<std::int64_t>(&AddBackwards), reinterpret_cast<std::int64_t>(&call)});
  // 1e16 takes in what is added to it first.
  const std::array<double, 4> numbers = {1.0, 1.0, 1.0, 1e16};
  const std::span<const double> misaligned = std::span(numbers).subspan(1);
  EXPECT_EQ(Dot(misaligned, std::array{1.0, 1.0, 1.0}), 1e16);
  EXPECT_EQ(call.sizes, (std::vector<std::intptr_t>{1, 1, 3, 1}));
  EXPECT_TRUE(call.is_aligned);
  SetLoop("matmul", {});
  EXPECT_EQ(Dot(misaligned, std::array{1.0, 1.0, 1.0}), 1e16 + 2.0);
}

TEST(SetProductTest, RefusesAnotherWay) {
  EXPECT_THROW(SetProduct("gemm", "sorted"), std::invalid_argument);
  EXPECT_THROW(SetProduct("gemv", ""), std::invalid_argument);
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
