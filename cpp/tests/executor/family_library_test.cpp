#include "executor/family_library.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <stdexcept>
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

class ConfigureTest : public testing::Test {
 protected:
  ConfigureTest() {
    family_.settings = {{"folder", "nowhere", ""}, {"size", std::int64_t{3}, ""}};
    family_.configure = [this](const Options& settings) { got_ = settings; };
  }

  Family family_;
  Options got_;
};

TEST_F(ConfigureTest, GivesAValueForEachSetting) {
  Options given;
  given.Set("folder", "/roms");
  Configure(family_, given);
  EXPECT_EQ(got_.Text("folder"), "/roms");
  EXPECT_EQ(got_.Integer("size"), 3);
  Configure(family_, {});
  EXPECT_EQ(got_.Text("folder"), "nowhere");
}

TEST_F(ConfigureTest, RefusesUnknownNamesAndOtherTypes) {
  Options unknown;
  unknown.Set("colour", "red");
  EXPECT_THROW(Configure(family_, unknown), std::invalid_argument);
  Options wrong;
  wrong.Set("size", 3.5);
  EXPECT_THROW(Configure(family_, wrong), std::invalid_argument);
  EXPECT_TRUE(got_.Entries().empty());
  EXPECT_THROW(Configure(LoadFamily(TESTING_LIBRARY), unknown), std::invalid_argument);
  EXPECT_NO_THROW(Configure(LoadFamily(TESTING_LIBRARY), {}));
}

}  // namespace
}  // namespace envpool
