#include "xla/transfer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "envpool/spec.h"

namespace envpool::xla {
namespace {

template <class T>
Buffer MakeBuffer(ElementType type, std::vector<T>& values, std::vector<std::int64_t>& sizes) {
  return {sizeof(Buffer), nullptr, type, values.data(), static_cast<std::int64_t>(sizes.size()),
          sizes.data()};
}

Spec OneInfo(DType dtype) {
  return {.observation = {}, .action = {}, .info = {Box("n", dtype, {})}};
}

class Narrowing : public testing::Test {
 protected:
  const Layout layout_{OneInfo(DType::kInt64), {}, 2};
  const NamedColumn& column_ = layout_.all[layout_.IndexOf("info.n")];
  std::vector<std::byte> block_ = std::vector<std::byte>(layout_.bytes);
  std::span<std::int64_t> values_ = column_.At<std::int64_t>(block_.data(), 0, 2);
  std::vector<std::int32_t> memory_ = std::vector<std::int32_t>(2);
  std::vector<std::int64_t> sizes_{2};
  const Buffer buffer_ = MakeBuffer(ElementType::kInt32, memory_, sizes_);
};

TEST_F(Narrowing, ConvertsWhatFits) {
  values_[0] = -5;
  values_[1] = 7;
  CheckResult(buffer_, column_, 2);
  WriteResult(buffer_, column_, block_.data(), 2);
  EXPECT_EQ(memory_, (std::vector<std::int32_t>{-5, 7}));
}

TEST_F(Narrowing, RefusesWhatDoesNot) {
  values_[1] = std::int64_t{1} << 40;
  EXPECT_THROW(WriteResult(buffer_, column_, block_.data(), 2), std::range_error);
}

TEST_F(Narrowing, RefusesOtherTypesAndShapes) {
  EXPECT_THROW(CheckResult(buffer_, column_, 3), std::invalid_argument);
  std::vector<float> floats(2);
  EXPECT_THROW(CheckResult(MakeBuffer(ElementType::kFloat32, floats, sizes_), column_, 2),
               std::invalid_argument);
}

TEST(Seeds, AreOneForAllOrOneEach) {
  std::vector<std::int32_t> values{7, 9};
  std::vector<std::int64_t> none, two{2}, three{3};
  const auto read = [](const Buffer& buffer, int most_bits, std::int32_t env_id) {
    return *ReadSeeds(buffer, std::vector{env_id}, 2, most_bits).at(0);
  };
  EXPECT_EQ(read(MakeBuffer(ElementType::kInt32, values, none), 64, 1), 8U);
  const Buffer each = MakeBuffer(ElementType::kInt32, values, two);
  EXPECT_EQ(read(each, 64, 1), 9U);
  EXPECT_EQ(read(each, 3, 0), 7U);
  EXPECT_THROW(read(each, 3, 1), std::invalid_argument);
  EXPECT_THROW(read(MakeBuffer(ElementType::kInt32, values, three), 64, 0), std::invalid_argument);
  values[0] = -1;
  EXPECT_THROW(read(each, 64, 0), std::invalid_argument);
}

}  // namespace
}  // namespace envpool::xla
