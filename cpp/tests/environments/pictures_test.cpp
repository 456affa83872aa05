// The memory of pictures, and who is named when one cannot be drawn.
#include "environments/pictures.h"

#include <limits>
#include <new>
#include <stdexcept>

#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

TEST(Pictures, RefuseASizeForWhichThereIsNoMemory) {
  const int most = std::numeric_limits<int>::max();
  EXPECT_THROW(Pictures({most, most}, 1000), std::bad_alloc);
}

TEST(LookAt, NamesTheEnvironmentAndKeepsRefusalsApart) {
  const auto refuse = [] { throw std::invalid_argument("no such camera"); };
  EXPECT_THROW(LookAt(3, refuse), std::invalid_argument);
  EXPECT_EQ(Refusal([&] { LookAt(3, refuse); }), "environment 3 was not rendered: no such camera");
  EXPECT_THROW(LookAt(3, [] { throw std::bad_alloc(); }), std::runtime_error);
  EXPECT_EQ(Refusal([] { LookAt(3, [] { throw 1; }); }),
            "environment 3 was not rendered: an exception that is no std::exception");
  EXPECT_EQ(Refusal([] { LookAt(3, [] {}); }), "");
}

}  // namespace
}  // namespace envpool
