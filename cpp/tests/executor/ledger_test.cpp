// Who may be called.
#include "executor/ledger.h"

#include <thread>
#include <vector>

#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

class LedgerTest : public testing::Test {
 protected:
  std::string Check(const Ints& ids, Purpose purpose = Purpose::kStep) {
    return Refusal([&] { ledger_.Check(ids, purpose); });
  }
  std::string CheckAll(Purpose purpose = Purpose::kStep) {
    return Refusal([&] { ledger_.Check(all_ids_, purpose); });
  }

  const Ints all_ids_ = {0, 1, 2, 3};
  Ledger ledger_{all_ids_};
};

TEST_F(LedgerTest, RefusesIdsThatAreOutOfRangeOrRepeated) {
  EXPECT_EQ(Check({2, 0}), "");
  EXPECT_EQ(Check({}), "");
  EXPECT_EQ(Check({0, 4}), "env_id[1] is 4, expected 0 <= env_id < num_envs = 4");
  EXPECT_EQ(Check({-1}), "env_id[0] is -1, expected 0 <= env_id < num_envs = 4");
  EXPECT_EQ(Check({3, 1, 3}), "env_id 3 is repeated");
  EXPECT_EQ(Check({3, 1}), "") << "a refused call leaves nothing behind";
  EXPECT_THROW(ledger_.Check(Ints{9}, Purpose::kStep), std::invalid_argument);
}

// What each purpose says to each status.
TEST_F(LedgerTest, RefusesByStatusAndPurpose) {
  const std::string running = "environment 1 is already running: recv() its result first";
  const std::string failed = "environment 1 has failed: reset it first";
  const std::string over =
      "environment 1 has no episode to step: without auto-reset it must be reset after the end of "
      "an episode, and before the first one";
  const std::string rendered = "environment 1 is being rendered by another call: wait for it first";
  const std::string saved = "environment 1 is being saved by another call: wait for it first";
  const std::string changed = "environment 1 is being changed by another call: wait for it first";
  struct Case {
    Status status;
    std::string step, reset, state;
  };
  const std::vector<Case> cases = {{Status::kIdle, "", "", ""},
                                   {Status::kInFlight, running, running, running},
                                   {Status::kBroken, failed, "", failed},
                                   {Status::kEpisodeOver, over, "", ""},
                                   {Status::kRendering, rendered, rendered, rendered},
                                   {Status::kSaving, saved, saved, saved},
                                   {Status::kChanging, changed, changed, changed}};
  for (const auto& [status, step, reset, state] : cases) {
    if (status == Status::kInFlight) {
      ledger_.Begin(Ints{1});
    } else {
      ledger_.Set(1, status);
    }
    for (const bool all : {false, true}) {
      const auto check = [&](Purpose purpose) {
        return all ? CheckAll(purpose) : Check({1}, purpose);
      };
      EXPECT_EQ(check(Purpose::kStep), step);
      EXPECT_EQ(check(Purpose::kReset), reset);
      EXPECT_EQ(check(Purpose::kState), state);
    }
    EXPECT_EQ(Check({0, 2, 3}), "") << "the others don't mind";
    if (status == Status::kInFlight) ledger_.Finish(Ints{1});
  }
}

TEST_F(LedgerTest, CountsWhatIsInFlight) {
  ledger_.Begin(Ints{2, 0});
  EXPECT_EQ(ledger_.InFlight(), 2U);
  EXPECT_EQ(ledger_.StatusOf(2), Status::kInFlight);
  EXPECT_EQ(ledger_.StatusOf(1), Status::kIdle);
  ledger_.Finish(Ints{0});
  EXPECT_EQ(ledger_.InFlight(), 1U);
  EXPECT_EQ(ledger_.StatusOf(0), Status::kIdle);
  EXPECT_EQ(ledger_.ForgetInFlight(), Ints{2});
  EXPECT_EQ(ledger_.InFlight(), 0U);
}

// A broken environment is sent to be reset: nothing of that may be left when it comes back.
TEST_F(LedgerTest, AnEnvironmentThatIsMendedIsLikeTheOthers) {
  ledger_.Set(1, Status::kBroken);
  ledger_.Set(3, Status::kEpisodeOver);
  ledger_.Begin(Ints{1, 3});
  ledger_.Finish(Ints{1, 3});
  EXPECT_EQ(CheckAll(), "");
  EXPECT_EQ(Check({3, 1}), "");
  ledger_.Set(1, Status::kBroken);
  EXPECT_NE(CheckAll(), "");
}

TEST_F(LedgerTest, KnowsWhetherAReceiveWouldReturn) {
  EXPECT_EQ(Refusal([&] { ledger_.CheckCanReceive(2); }),
            "recv() would wait forever: it needs 2 requests in flight and there are 0; send() or "
            "async_reset() first");
  EXPECT_EQ(Refusal([&] { ledger_.CheckCanReceive(2, 1); }),
            "a batch needs 2 requests in flight, and with these 1 there would be 1: use send() or "
            "async_reset(), and recv() later");
  EXPECT_EQ(Refusal([&] { ledger_.CheckCanReceive(2, 0); }), "");
  EXPECT_EQ(Refusal([&] { ledger_.CheckCanReceive(2, 2); }), "");
  ledger_.Begin(Ints{0});
  EXPECT_EQ(Refusal([&] { ledger_.CheckCanReceive(2, 1); }), "");
  ledger_.Begin(Ints{1});
  EXPECT_EQ(Refusal([&] { ledger_.CheckCanReceive(2); }), "");
}

TEST_F(LedgerTest, NamesTheOthers) {
  EXPECT_EQ(ledger_.OthersThan(Ints{2, 0}), (Ints{1, 3}));
  EXPECT_EQ(ledger_.OthersThan({}), all_ids_);
  EXPECT_EQ(ledger_.OthersThan(all_ids_), Ints());
}

TEST_F(LedgerTest, LendsEnvironments) {
  ledger_.Borrow(Ints{1, 2}, Status::kSaving);
  EXPECT_NE(CheckAll(), "");
  EXPECT_EQ(Check({0, 3}), "");
  ledger_.Set(1, Status::kIdle);
  ledger_.Set(2, Status::kBroken);
  EXPECT_EQ(CheckAll(Purpose::kReset), "");
  EXPECT_EQ(CheckAll(), "environment 2 has failed: reset it first");
}

TEST_F(LedgerTest, KnowsThatThisThreadVisits) {
  const auto refusal = [&] { return Refusal([&] { ledger_.CheckVisitsNone(); }); };
  EXPECT_EQ(refusal(), "");
  ledger_.BeginVisits();
  EXPECT_EQ(refusal(), "the pool was called by a signal handler during another call");
  std::string others;
  std::thread([&] { others = refusal(); }).join();
  EXPECT_EQ(others, "");
  ledger_.BeginVisits();
  ledger_.EndVisits();
  EXPECT_NE(refusal(), "") << "one of two";
  ledger_.EndVisits();
  EXPECT_EQ(refusal(), "");
}

}  // namespace
}  // namespace envpool
