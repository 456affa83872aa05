#include "loading/spec_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

namespace envpool {
namespace {

Spec Sound() {
  return {
      .observation_structure = Structure::kDict,
      .observation = {Box("arm.angle", DType::kFloat32, {2}), Box("arm.speed", DType::kInt8, {})},
      .action = {Discrete("action", 3)},
      .info = {Box("arm.length", DType::kFloat64, {}), Box("episode", DType::kInt64, {})}};
}

// What is said of a spec that was sound until this change.
std::string Complaint(const std::function<void(Spec&)>& change) {
  Spec spec = Sound();
  change(spec);
  try {
    RequireSound("Arm", spec);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

std::string ComplaintOfObservation(const Field& field) {
  return Complaint([&](Spec& spec) { spec.observation.push_back(field); });
}

std::string ComplaintOfBounds(DType dtype, const Bounds& low, const Bounds& high) {
  return ComplaintOfObservation(Box("x", dtype, {3}, low, high));
}

void ExpectIn(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
}

TEST(RequireSound, AcceptsWhatIsSound) {
  EXPECT_EQ(Complaint([](Spec&) {}), "");
  EXPECT_EQ(ComplaintOfObservation(Box("empty", DType::kFloat32, {0, 3})), "");
  EXPECT_EQ(ComplaintOfObservation(Box("goal.upper arm", DType::kInt32, {})), "");
  EXPECT_EQ(ComplaintOfBounds(DType::kUInt8, {0}, {1, 2, 255}), "");
  EXPECT_EQ(ComplaintOfBounds(DType::kBool, {0}, {1}), "");
  EXPECT_EQ(ComplaintOfBounds(DType::kFloat64, {-1e308}, {kInfinity}), "");
}

TEST(RequireSound, RefusesNamesThatAreNone) {
  for (const char* name : {"", ".", "a.", ".a", "a..b", "a b", "1a", "_a", "a-b", "\xc3\xa4", "@a",
                           "a.b  c", "a. b", "a.b "}) {
    ExpectIn(ComplaintOfObservation(Box(name, DType::kInt32, {})),
             "Arm's observation '" + std::string(name) + "': expected letters");
  }
}

TEST(RequireSound, RefusesNamesThatComeTwice) {
  ExpectIn(ComplaintOfObservation(Box("arm.angle", DType::kInt32, {})), "has the name of another");
  ExpectIn(ComplaintOfObservation(Box("arm", DType::kInt32, {})), "overlaps with 'arm.angle'");
  ExpectIn(ComplaintOfObservation(Box("arm.angle.x", DType::kInt32, {})),
           "overlaps with 'arm.angle'");
  // dm_env's API has one dict of observations and infos.
  ExpectIn(Complaint([](Spec& spec) { spec.info = {Box("arm.angle", DType::kInt32, {})}; }),
           "Arm's info 'arm.angle' has the name of another");
  EXPECT_EQ(Complaint([](Spec& spec) { spec.action = {Discrete("arm", 3)}; }), "");
}

TEST(RequireSound, RefusesThePoolsOwnNames) {
  for (const char* name : {"env_id", "elapsed_step", "players.env_id", "final_obs", "episode"}) {
    ExpectIn(ComplaintOfObservation(Box(name, DType::kInt32, {})), "the pool's own");
  }
  ExpectIn(Complaint([](Spec& spec) { spec.info = {Box("players", DType::kInt32, {})}; }),
           "overlaps with the pool's own 'players.env_id'");
  ExpectIn(Complaint([](Spec& spec) { spec.action = {Discrete("env_id", 3)}; }),
           "Arm's action 'env_id' has the name of the pool's own key");
  EXPECT_EQ(Complaint([](Spec& spec) { spec.info = {Box("reward", DType::kInt32, {})}; }), "");
}

TEST(RequireSound, RefusesStructuresWithoutFields) {
  ExpectIn(Complaint([](Spec& spec) { spec.observation.clear(); }),
           "Arm has 0 fields in its observation, expected at least one");
  ExpectIn(Complaint([](Spec& spec) { spec.action.clear(); }), "Arm has 0 fields in its action");
  ExpectIn(Complaint([](Spec& spec) { spec.observation_structure = Structure::kSingle; }),
           "Arm has 2 fields in its observation, which is a single array");
  ExpectIn(Complaint([](Spec& spec) { spec.max_num_players = 0; }), "max_num_players = 0");
}

TEST(RequireSound, RefusesShapesThatAreNone) {
  ExpectIn(ComplaintOfObservation(Box("x", DType::kInt32, {2, -1})), "a negative size, -1");
  ExpectIn(ComplaintOfObservation(Box("x", DType::kInt32, {1 << 30, 1 << 30, 1 << 30})),
           "more than 2^40 elements");
  ExpectIn(ComplaintOfObservation(Box("x", DType::kInt32, {1, 1, 1, 1, 1, 1, 1, 1})),
           "more than 7 dimensions");
}

TEST(RequireSound, RefusesBoundsThatAreNone) {
  ExpectIn(ComplaintOfBounds(DType::kFloat32, {0, 1}, {2}), "2 numbers in `low`, expected one");
  ExpectIn(ComplaintOfBounds(DType::kFloat32, {0}, {}), "0 numbers in `high`, expected one");
  ExpectIn(ComplaintOfBounds(DType::kFloat32, {0, 1, 2}, {1}), "the bounds 2 and 1");
  ExpectIn(ComplaintOfBounds(DType::kFloat32, {std::nan("")}, {1}), "the bounds nan and 1");
}

TEST(RequireSound, RefusesSpacesThatCannotBe) {
  ExpectIn(ComplaintOfObservation(Discrete("x", 0)), "the bounds 0 and -1");
  ExpectIn(ComplaintOfObservation(Discrete("x", 2, 0, DType::kFloat32)), "expected integers");
  Field shaped = Discrete("x", 2);
  shaped.shape = {2};
  ExpectIn(ComplaintOfObservation(shaped), "Discrete, a single number");
  Field endless = Discrete("x", 2);
  endless.high = {kInfinity};
  ExpectIn(ComplaintOfObservation(endless), "an infinite bound");
}

}  // namespace
}  // namespace envpool
