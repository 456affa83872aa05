#include "executor/family_library.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace envpool {
namespace {

std::set<std::string> Names(const Family& family) {
  std::set<std::string> names;
  for (const EnvType& type : family.types) names.insert(type.name);
  return names;
}

TEST(LoadFamily, FindsTheEnvironmentsOfEachLibraryAlone) {
  const Family& control = LoadFamily(CLASSIC_CONTROL_LIBRARY);
  const Family& testing = LoadFamily(TESTING_LIBRARY);
  EXPECT_TRUE(Names(control).contains("CartPole"));
  EXPECT_FALSE(Names(control).contains("Counting"));
  EXPECT_TRUE(Names(testing).contains("Counting"));
  EXPECT_EQ(&control, &LoadFamily(CLASSIC_CONTROL_LIBRARY));
}

TEST(LoadFamily, ReportsWhatIsNoFamily) {
  EXPECT_THROW(LoadFamily("/nowhere/library.so"), std::runtime_error);
  EXPECT_THROW(LoadFamily("libm.so.6"), std::runtime_error);
}

}  // namespace
}  // namespace envpool
