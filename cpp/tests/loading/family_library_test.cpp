#include "loading/family_library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
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

std::string Complaint(const std::function<void()>& call) {
  try {
    call();
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

void ExpectIn(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
}

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The path of a copy of a library in which the byte at `place` is another.
std::string Damaged(const std::string& library, std::size_t place, char byte) {
  std::string bytes = Content(library);
  bytes.at(place) = byte;
  const std::string path = testing::TempDir() + "damaged_" + std::to_string(place) + ".so";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(LoadFamily, ReportsWhatIsNoFamily) {
  ExpectIn(Complaint([] { LoadFamily("/nowhere/library.so"); }), "No such file");
  ExpectIn(Complaint([] { LoadFamily("libm.so.6"); }), "does not include envpool/family.h");
  const std::string damaged = Complaint([] { LoadFamily(Damaged(TESTING_LIBRARY, 0, 'x')); });
  ExpectIn(damaged, "invalid ELF header");
  ExpectIn(damaged, "Build it again as this envpool was built");
}

TEST(LoadFamily, TellsWhatTheSystemSaysOfALibraryOfANewerOne) {
  const std::size_t version =
      Content(TESTING_LIBRARY).find("GLIBCXX_3.4") + std::strlen("GLIBCXX_");
  ExpectIn(Complaint([&] { LoadFamily(Damaged(TESTING_LIBRARY, version, '9')); }), "GLIBCXX_9");
}

class AbiTest : public testing::Test {
 protected:
  std::string Refusal() const {
    return Complaint([this] { RequireSameAbi("walk.so", theirs_); });
  }

  Abi theirs_ = ThisAbi();
};

TEST_F(AbiTest, AcceptsTheSameFromAnotherCompiler) {
  EXPECT_EQ(Refusal(), "");
  CopyText("clang++ 99", theirs_.compiler);
  EXPECT_EQ(Refusal(), "");
}

TEST_F(AbiTest, NamesBothVersions) {
  theirs_.sdk_version = kSdkVersion - 1;
  theirs_.fingerprint = 0x123abc;
  ExpectIn(Refusal(), "walk.so was built for version " + std::to_string(kSdkVersion - 1));
  ExpectIn(Refusal(), "layouts 123abc");
  ExpectIn(Refusal(), "this envpool for " + DescribeThisAbi());
  ExpectIn(Refusal(), "Build it again");
}

TEST_F(AbiTest, NamesBothStandardLibraries) {
  CopyText("libc++ of clang", theirs_.standard_library);
  ExpectIn(Refusal(), ", libc++ of clang, ");
  ExpectIn(Refusal(), ", libstdc++, ");
  ExpectIn(Refusal(), "other standard libraries");
}

TEST_F(AbiTest, NoticesOtherHeadersOfTheSameVersion) {
  ++theirs_.fingerprint;
  ExpectIn(Refusal(), "are not those of that version");
}

TEST_F(AbiTest, EndsTextsThatDoNotEnd) {
  std::ranges::fill(theirs_.standard_library, 'x');
  std::string whole(sizeof(theirs_.standard_library), 'x');
  whole += ", ";  // which g++ 12 takes for an overflow where both are in one expression
  ExpectIn(Refusal(), whole);
}

TEST_F(AbiTest, RefusesAnotherWithThatName) {
  theirs_.magic[0] = 'x';
  ExpectIn(Refusal(), "no library of environments");
}

class RequireWholeTest : public testing::Test {
 protected:
  RequireWholeTest() {
    EnvType type{.name = "Walk"};
    type.spec = [](const Options&) { return Spec(); };
    type.create = [](const Options&) { return std::unique_ptr<Env>(); };
    family_.types = {type};
  }

  std::string Refusal() const {
    return Complaint([this] { RequireWhole("walk.so", family_); });
  }

  Family family_;
};

TEST_F(RequireWholeTest, AcceptsAWholeFamily) { EXPECT_EQ(Refusal(), ""); }

TEST_F(RequireWholeTest, TellsWhatRegistrationThrew) {
  family_.failure = "no file levels.txt";
  EXPECT_EQ(Refusal(), "walk.so could not register its environments: no file levels.txt");
}

TEST_F(RequireWholeTest, RefusesNoTypesAndTwoOfOneName) {
  family_.types.push_back(family_.types[0]);
  EXPECT_EQ(Refusal(), "walk.so has an environment named 'Walk' twice");
  family_.types.clear();
  EXPECT_EQ(Refusal(), "walk.so has no environments: the file of each ends with Register");
}

TEST_F(RequireWholeTest, RefusesTypesThatLackSomething) {
  EnvType& type = family_.types[0];
  const EnvType whole = type;
  type.create = nullptr;
  ExpectIn(Refusal(), "named 'Walk' without create");
  type = whole;
  type.spec = nullptr;
  ExpectIn(Refusal(), "named 'Walk' without a spec");
  for (const char* name : {"", "my walk", "2D", "_Walk"}) {
    type = whole;
    type.name = name;
    ExpectIn(Refusal(), "named '" + std::string(name) + "', expected letters");
  }
}

TEST_F(RequireWholeTest, RefusesOptionsThatCannotBe) {
  EnvType& type = family_.types[0];
  type.options = {{"size", 1.0, ""}, {"size", 2.0, ""}};
  ExpectIn(Refusal(), "with an option named 'size', twice");
  type.options = {{"my size", 1.0, ""}};
  ExpectIn(Refusal(), "with an option named 'my size', expected letters");
  type.options = {{"size", -1.0, "", kPositive}};
  ExpectIn(Refusal(), "is not among those that it takes: 0 < size");
  type.options = {};
  type.reset_options = {{"", 1.0, ""}};
  ExpectIn(Refusal(), "with, for resets, an option named ''");
  type.reset_options = {{"reset_mask", 1.0, ""}};
  ExpectIn(Refusal(), "which all pools have themselves");
}

}  // namespace
}  // namespace envpool
