#include "envpool/views.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace envpool {
namespace {

template <class Error, class Call>
std::string Refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

class Views : public testing::Test {
 private:
  const std::vector<Column> observation_ = {
      {0, 8, 2, DType::kFloat32, false, "observation 'place'"},
      {8, 1, 1, DType::kBool, false, "observation 'arrived'"},
  };
  const std::vector<Column> info_;
  const std::vector<Column> actions_ = {{0, 8, 1, DType::kFloat64, false, "action 'push'"}};
  alignas(8) std::array<std::byte, 64> block_{};

 protected:
  Row row_{observation_, info_, block_.data(), 0, 0, 1};
  Action action_{actions_, block_.data(), 1};
};

TEST_F(Views, HaveTheFieldsOfTheSpec) {
  EXPECT_EQ(row_.Observation<float>().size(), 2U);
  row_.Observation<bool>(1)[0] = true;
  EXPECT_TRUE(row_.Observation<bool>(1)[0]);
  EXPECT_EQ(action_.Value<double>(), 0.0);
}

TEST_F(Views, RefuseFieldsThatThereAreNot) {
  EXPECT_EQ(Refusal<std::out_of_range>([&] { row_.Observation<float>(2); }),
            "observation field 2 was accessed, but the spec has 2 of them: observation 'place', "
            "observation 'arrived'");
  EXPECT_EQ(Refusal<std::out_of_range>([&] { row_.Info<float>(); }),
            "info field 0 was accessed, but the spec has 0 of them");
  const std::string expected =
      "action field 1 was accessed, but the spec has 1 of them: action 'push'";
  EXPECT_EQ(Refusal<std::out_of_range>([&] { action_.Values<double>(1); }), expected);
  EXPECT_EQ(Refusal<std::out_of_range>([&] { action_.Value<double>(1); }), expected);
  EXPECT_EQ(Refusal<std::out_of_range>([&] { action_.CameAs(1); }), expected);
}

TEST_F(Views, RefuseAnotherType) {
  EXPECT_EQ(Refusal<std::logic_error>([&] { row_.Observation<double>(1); }),
            "observation 'arrived' is of dtype bool, accessed as float64");
  EXPECT_EQ(Refusal<std::logic_error>([&] { action_.Value<float>(); }),
            "action 'push' is of dtype float64, accessed as float32");
}

TEST_F(Views, RefuseToTellTypesThatWereNotRecorded) {
  EXPECT_EQ(Refusal<std::logic_error>([&] { action_.CameAs(); }),
            "action 'push' does not record the type that it came as: give it .RecordType()");
}

}  // namespace
}  // namespace envpool
