#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "recording/record_chunk.h"
#include "tests/recording/record_fixture.h"

namespace envpool {
namespace {

// Why a call threw.
template <class Call>
std::error_code Refusal(Call call) {
  try {
    call();
  } catch (const std::system_error& error) {
    return error.code();
  }
  return {};
}

TEST(RecordFile, TellsWhenChunksWereWritten) {
  const auto now = [] {
    const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(since_1970).count());
  };
  const std::string path = FreshPath();
  RecordFile file(path);
  const std::uint64_t before = now();
  file.Append("x");
  const std::uint64_t after = now();
  const std::string bytes = ReadAll(path);
  std::string_view time = std::string_view(bytes).substr(kFileHead + 16);
  const auto written = TakeNumber<std::uint64_t>(time);
  EXPECT_LE(before, written);
  EXPECT_LE(written, after);
}

TEST(RecordFile, IsNoneThatIsThereAlreadyOrCannotBe) {
  const std::string path = FreshPath();
  const RecordFile file(path);
  EXPECT_EQ(Refusal([&] { RecordFile(path + ""); }).value(), EEXIST);
  EXPECT_EQ(Refusal([&] { RecordFile(path + "/a"); }).value(), ENOTDIR);
  try {
    const RecordFile other(path + "_no/a");
    FAIL();
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.what(), path + "_no/a: No such file or directory");
  }
}

}  // namespace
}  // namespace envpool
