#include "envpool/hash.h"

#include <gtest/gtest.h>

namespace envpool {
namespace {

// FNV's authors give these numbers.
static_assert(HashOfBytes("") == 0xcbf29ce484222325);
static_assert(HashOfBytes("a") == 0xaf63dc4c8601ec8c);
static_assert(HashOfBytes("foobar") == 0x85944171f73967e8);

TEST(Hash, BytesCanBeGivenInParts) {
  EXPECT_EQ(HashOfBytes("bar", HashOfBytes("foo")), HashOfBytes("foobar"));
  EXPECT_NE(HashOfBytes("\xff"), HashOfBytes("\x7f"));
}

}  // namespace
}  // namespace envpool
