// Who is invited when.
#include "scheduling/staffing.h"

#include <gtest/gtest.h>

#include <vector>

namespace envpool {
namespace {

constexpr std::size_t kMeanNs = 1000;

Staffing::CostCounts Counts(std::size_t unknown, std::size_t light, std::size_t moderate,
                            std::size_t heavy) {
  return {unknown, light, moderate, heavy};
}

TEST(MostLightWorkers, LeavesTheCallerACore) {
  EXPECT_EQ(Staffing(4, 8, false).MostLightWorkers(), 4);
  EXPECT_EQ(Staffing(8, 8, false).MostLightWorkers(), 7);
  EXPECT_EQ(Staffing(100, 2, false).MostLightWorkers(), 1);
  EXPECT_EQ(Staffing(3, 1, true).MostLightWorkers(), 1);
}

TEST(CallerHelps, WhereItWorksOrTakesAWorkersCore) {
  EXPECT_TRUE(Staffing(1, 8, true).CallerHelps());
  EXPECT_TRUE(Staffing(8, 8, false).CallerHelps());
  EXPECT_FALSE(Staffing(7, 8, false).CallerHelps());
  EXPECT_FALSE(Staffing(1, 1, false).CallerHelps()) << "it would take the only worker's";
}

TEST(CallerMayClaim, NothingThatKeepsItFromItsCall) {
  const auto costs = [](const Staffing& staffing) {
    std::vector<bool> may;
    for (const Cost cost : {Cost::kUnknown, Cost::kLight, Cost::kModerate, Cost::kHeavy}) {
      may.push_back(staffing.CallerMayClaim(cost));
    }
    return may;
  };
  EXPECT_EQ(costs(Staffing(2, 2, false)), (std::vector{false, true, false, false}));
  EXPECT_EQ(costs(Staffing(2, 2, true)), (std::vector{false, true, true, false}));
  EXPECT_EQ(costs(Staffing(0, 2, true)), (std::vector{true, true, true, true}));
}

TEST(HelpersNeeded, WhereTheCallerWaitsAtLeastOneWorker) {
  Staffing staffing(4, 8, false);
  const auto needed = [&](const Staffing::CostCounts& counts) {
    return staffing.HelpersNeeded(counts, kMeanNs, true);
  };
  EXPECT_EQ(needed(Counts(0, 1, 0, 0)), 1);
  EXPECT_EQ(needed(Counts(0, 31, 0, 0)), 1) << "one for each 16 us of light requests";
  EXPECT_EQ(needed(Counts(0, 32, 0, 0)), 2);
  EXPECT_EQ(needed(Counts(0, 1000, 0, 0)), 4);
  EXPECT_EQ(needed(Counts(1, 0, 1, 1)), 3) << "one for each that is not light";
  EXPECT_EQ(needed(Counts(9, 0, 0, 0)), 4) << "no more than there are";
}

TEST(HelpersNeeded, LightRequestsGetNoMoreThanThereAreCores) {
  Staffing staffing(16, 4, false);
  EXPECT_EQ(staffing.HelpersNeeded(Counts(0, 1000, 0, 0), kMeanNs, false), 3);
  EXPECT_EQ(staffing.HelpersNeeded(Counts(0, 1000, 0, 5), kMeanNs, false), 8);
  EXPECT_EQ(staffing.HelpersNeeded(Counts(0, 0, 0, 20), kMeanNs, false), 16);
}

TEST(HelpersNeeded, ACallerThatStaysDoesWhatIsQuick) {
  Staffing staffing(4, 4, true);
  const auto needed = [&](const Staffing::CostCounts& counts) {
    return staffing.HelpersNeeded(counts, kMeanNs, true);
  };
  EXPECT_EQ(needed(Counts(0, 15, 0, 0)), 0) << "quicker alone";
  EXPECT_EQ(needed(Counts(0, 16, 0, 0)), 1);
  EXPECT_EQ(needed(Counts(0, 1000, 0, 0)), 3);
  EXPECT_EQ(needed(Counts(0, 0, 1, 0)), 0);
  EXPECT_EQ(needed(Counts(0, 0, 3, 0)), 2);
  EXPECT_EQ(needed(Counts(0, 0, 9, 0)), 3) << "it is one of the four";
  EXPECT_EQ(needed(Counts(0, 0, 0, 1)), 1) << "it leaves a heavy one to a worker";
  EXPECT_EQ(needed(Counts(4, 0, 0, 0)), 4);
  EXPECT_EQ(staffing.HelpersNeeded(Counts(0, 1, 0, 0), kMeanNs, false), 1) << "it goes away";
}

TEST(HelpersNeeded, ACallerThatStaysIsNotAloneWithMoreThreadsThanCores) {
  EXPECT_EQ(Staffing(8, 2, true).HelpersNeeded(Counts(0, 0, 9, 0), kMeanNs, true), 1);
  EXPECT_EQ(Staffing(1, 8, true).HelpersNeeded(Counts(0, 0, 9, 0), kMeanNs, true), 0);
  EXPECT_EQ(Staffing(1, 8, true).HelpersNeeded(Counts(0, 0, 9, 1), kMeanNs, true), 1);
}

TEST(HelpersNeeded, ACallerThatIsAloneHasNone) {
  Staffing staffing(0, 8, true);
  EXPECT_TRUE(staffing.CallerIsAlone());
  EXPECT_FALSE(Staffing(1, 8, true).CallerIsAlone());
  for (const bool caller_stays : {false, true}) {
    EXPECT_EQ(staffing.HelpersNeeded(Counts(1, 0, 0, 1), kMeanNs, caller_stays), 0);
    EXPECT_EQ(staffing.HelpersNeeded(Counts(0, 1000, 9, 0), kMeanNs, caller_stays), 0);
  }
}

TEST(Invite, WhereTheCallerWaitsCountsOnAvailableWorkers) {
  Staffing staffing(4, 8, false);
  EXPECT_EQ(staffing.Invite(2), 2);
  EXPECT_EQ(staffing.Invite(2), 0) << "they are on their way";
  EXPECT_EQ(staffing.Invite(3), 1);
  staffing.ForgetInvitations();
  staffing.Arrive();
  staffing.Arrive();
  EXPECT_EQ(staffing.Invite(2), 0) << "they look for requests anyway";
  EXPECT_EQ(staffing.Invite(3), 1);
  EXPECT_EQ(staffing.OneMore(), 3);
}

TEST(Invite, WhereTheCallerWorksEachNeedsAnInvitation) {
  Staffing staffing(4, 8, true);
  staffing.Arrive();
  staffing.Arrive();
  EXPECT_FALSE(staffing.IsInvited());
  EXPECT_EQ(staffing.Invite(2), 2) << "available ones keep off";
  EXPECT_TRUE(staffing.IsInvited());
  staffing.ForgetInvitations();
  staffing.StartSpinning();
  EXPECT_EQ(staffing.Invite(2), 1) << "one is awake and sees it";
  EXPECT_EQ(staffing.Invite(2), 0);
  EXPECT_EQ(staffing.Invite(0), 0);
  staffing.StopSpinning();
}

TEST(Invitations, AreTakenOneByOne) {
  Staffing staffing(4, 8, false);
  staffing.Invite(2);
  staffing.TakeInvitation();
  EXPECT_TRUE(staffing.IsInvited());
  staffing.TakeInvitation();
  EXPECT_FALSE(staffing.IsInvited());
  staffing.TakeInvitation();
  EXPECT_EQ(staffing.Invite(1), 1) << "there are never less than none";
}

TEST(HelpersAfterClaim, NobodyIfNothingIsLeft) {
  for (const bool caller_works : {false, true}) {
    EXPECT_EQ(Staffing(4, 8, caller_works).HelpersAfterClaim(Cost::kHeavy, 0, kMeanNs), 0);
  }
}

TEST(HelpersAfterClaim, WhereTheCallerWorksOneForEachClaimThatIsNotQuick) {
  Staffing staffing(4, 8, true);
  EXPECT_EQ(staffing.HelpersAfterClaim(Cost::kLight, 1000, kMeanNs), 0);
  EXPECT_EQ(staffing.HelpersAfterClaim(Cost::kModerate, 1000, kMeanNs), 0);
  EXPECT_EQ(staffing.HelpersAfterClaim(Cost::kHeavy, 1, kMeanNs), 1);
  EXPECT_EQ(staffing.HelpersAfterClaim(Cost::kUnknown, 1, kMeanNs), 1);
}

TEST(HelpersAfterClaim, WhereTheCallerWaitsOneMoreThanThereAre) {
  Staffing staffing(4, 3, false);
  EXPECT_EQ(staffing.HelpersAfterClaim(Cost::kModerate, 1, kMeanNs), 1);
  staffing.Arrive();
  EXPECT_EQ(staffing.HelpersAfterClaim(Cost::kModerate, 1, kMeanNs), 2);
  EXPECT_EQ(staffing.HelpersAfterClaim(Cost::kLight, 16, kMeanNs), 0) << "not worth waking one";
  EXPECT_EQ(staffing.HelpersAfterClaim(Cost::kLight, 17, kMeanNs), 2);
  staffing.Arrive();
  EXPECT_EQ(staffing.HelpersAfterClaim(Cost::kLight, 1000, kMeanNs), 0) << "no core is left";
  EXPECT_EQ(staffing.HelpersAfterClaim(Cost::kHeavy, 1, kMeanNs), 3);
}

TEST(IsCrowded, WithMoreWorkersAwakeThanCanDoLightWork) {
  Staffing staffing(4, 3, false);
  staffing.Arrive();
  staffing.Arrive();
  EXPECT_FALSE(staffing.IsCrowded());
  staffing.Arrive();
  EXPECT_TRUE(staffing.IsCrowded());
  EXPECT_FALSE(staffing.Leave()) << "not the last one";
  EXPECT_FALSE(staffing.IsCrowded());
  EXPECT_FALSE(staffing.Leave());
  EXPECT_TRUE(staffing.Leave());
}

// Sixteen threads for what two can do.
TEST(IsCrowded, WithMoreWorkersAvailableThanLightRequestsNeed) {
  Staffing staffing(16, 16, false);
  const auto send = [&](std::size_t light, std::size_t moderate) {
    const auto counts = Counts(0, light, moderate, 0);
    staffing.NoteSent(counts, staffing.HelpersNeeded(counts, kMeanNs, true));
  };
  for (int worker = 0; worker < 15; ++worker) staffing.Arrive();
  EXPECT_FALSE(staffing.LeaveIfCrowded()) << "at first nobody knows how many are enough";
  for (int i = 0; i < 1000; ++i) send(32, 0);
  EXPECT_TRUE(staffing.IsCrowded());
  int left = 0;
  while (staffing.LeaveIfCrowded()) ++left;
  EXPECT_EQ(left, 13) << "two are enough, and stay";
  EXPECT_EQ(staffing.HelpersAfterClaim(Cost::kLight, 1000, kMeanNs), 3) << "they are not";
  staffing.Arrive();
  EXPECT_FALSE(staffing.IsCrowded());
  send(0, 1);
  for (int worker = 0; worker < 12; ++worker) staffing.Arrive();
  EXPECT_FALSE(staffing.LeaveIfCrowded()) << "what takes longer is never crowded";
}

TEST(IsCrowded, OnlyWhereOneTooManyIsThereForLong) {
  Staffing staffing(4, 8, false);
  for (int worker = 0; worker < 4; ++worker) staffing.Arrive();
  staffing.NoteSent(Counts(0, 16, 0, 0), 1);
  EXPECT_FALSE(staffing.LeaveIfCrowded()) << "one send with little work says nothing";
}

TEST(HasCoreForCaller, NotWhereWorkersRunOnAllCoresWhatTakesLong) {
  Staffing staffing(2, 2, false);
  EXPECT_FALSE(staffing.HasCoreForCaller());
  staffing.Arrive();
  EXPECT_TRUE(staffing.HasCoreForCaller()) << "a worker is awake that leaves its core";
  staffing.Leave();
  EXPECT_FALSE(staffing.HasCoreForCaller());
  EXPECT_TRUE(Staffing(2, 3, false).HasCoreForCaller()) << "more cores than workers";
  EXPECT_TRUE(Staffing(2, 2, true).HasCoreForCaller()) << "the caller is one of the two";
}

TEST(IsCrowded, NeverWhereTheCallerWorks) {
  Staffing staffing(4, 1, true);
  for (int worker = 0; worker < 4; ++worker) staffing.Arrive();
  EXPECT_FALSE(staffing.IsCrowded());
}

}  // namespace
}  // namespace envpool
