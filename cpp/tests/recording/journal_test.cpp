// What a pool records, and that no disk holds it up.
#include "recording/journal.h"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/executor/pool_fixture.h"
#include "tests/recording/record_fixture.h"
#include "threads/threads.h"

namespace envpool {
namespace {

// No snapshot can be taken of it.
class Hopeless final : public Env {
 public:
  explicit Hopeless(const Options&) {}
  void Reset(Random&, const Options&) override {}
  StepResult Step(const Action&, Random&) override { return {}; }
  void Observe(const Row&) const override {}
  void Serialize(Archive&) override { throw std::runtime_error("no snapshots"); }

  static const EnvType& Type() {
    static const EnvType type{.name = "Hopeless",
                              .options = {},
                              .reset_options = {},
                              .spec = HeldEnv::MakeSpec,
                              .create = Create<Hopeless>};
    return type;
  }
};

class JournalTest : public testing::Test {
 protected:
  void Make(const EnvType& type, PoolConfig config) {
    config.record = path_;
    pool_ = std::make_unique<Pool>(OfType(type, std::move(config)));
  }
  void MakeCounting(const Ints& lengths) {
    Make(TestType("Counting"),
         CountingConfig(AutoresetMode::kNextStep, lengths, static_cast<int>(lengths.size()), 1));
  }

  const std::string path_ = FreshPath();
  StuckDisk disk_;  // outlives the pool
  std::unique_ptr<Pool> pool_;
};

TEST_F(JournalTest, HasWhatCannotBeSaved) {
  Make(Hopeless::Type(), MakeConfig(Hopeless::Type(), 2, 2, 1));
  Reset(*pool_);
  Send(*pool_, {1}, 0);
  pool_->Close();  // has forgotten whether that was run
  pool_->Step({Ints{1}, Actions(1, 0).View()}, NeverInterrupted);
  pool_->Close();
  const ReadEvent lost = ChunksIn(path_).back().events.back();
  EXPECT_EQ(lost.kind, RecordEvent::kLost);
  EXPECT_EQ(lost.env, 1);
  EXPECT_EQ(lost.content, "no snapshots");
}

TEST_F(JournalTest, IsNoneWhereTheFileCannotBe) {
  const Recorder other(path_, {});
  EXPECT_NE(Refusal([this] { MakeCounting({1}); }).find(path_ + ": File exists"),
            std::string::npos);
}

class JournalOnAStuckDisk : public JournalTest {
 protected:
  JournalOnAStuckDisk() {
    MakeCounting({1 << 30, 1 << 30});
    disk_.Hold(path_);
    Reset(*pool_);
    Step(*pool_, 0);
  }

  static void AwaitTheWorkersEnd() {
    while (RunningThreads() > 1) std::this_thread::yield();  // the other one is the recorder's
  }

  // In the recording of the pool, which is destroyed.
  std::size_t CountAllCalls() {
    pool_.reset();
    return CountCalls(ChunksOf(disk_.Written()));
  }
};

TEST_F(JournalOnAStuckDisk, CloseKeepsItsDeadline) {
  EXPECT_FALSE(pool_->Close(DontInterrupt, Clock::now()));
  EXPECT_TRUE(pool_->IsWritingRecording());
  AwaitTheWorkersEnd();
  EXPECT_FALSE(pool_->Close(DontInterrupt, Clock::now() + std::chrono::milliseconds(20)));
  EXPECT_TRUE(pool_->IsWritingRecording());
  disk_.Release();
  EXPECT_EQ(CountAllCalls(), 1U);
}

TEST_F(JournalOnAStuckDisk, CloseCanBeInterruptedAndThePoolGoesOn) {
  EXPECT_THROW(pool_->Close(InterruptAtOnce), Interrupted);
  AwaitTheWorkersEnd();
  EXPECT_EQ(Observations(*pool_, Step(*pool_, 0)), (Ints{2, 2}));
  EXPECT_THROW(pool_->Close(InterruptAtOnce), Interrupted);
  AwaitTheWorkersEnd();
  pool_->Loans().GetElapsedSteps();
  EXPECT_EQ(Observations(*pool_, Step(*pool_, 0)), (Ints{3, 3}));
  disk_.Release();
  EXPECT_TRUE(pool_->Close());
  EXPECT_FALSE(pool_->IsWritingRecording());
  EXPECT_EQ(RunningThreads(), 0);
  Step(*pool_, 0);  // starts it again
  EXPECT_EQ(CountAllCalls(), 4U);
}

// An environment that never ends takes all the time that there is.
TEST_F(JournalTest, IsWrittenWhileCloseWaitsForEnvironments) {
  HeldEnv::Hold hold;
  Make(HeldEnv::Type(), MakeConfig(HeldEnv::Type(), 2, 1, 1));
  pool_->SendReset({.env_ids = pool_->AllIds()});
  for (int i = 0; i < 2; ++i) Receive(*pool_);
  Send(*pool_, {1}, 1);
  hold.Await(1);
  EXPECT_FALSE(pool_->Close(DontInterrupt, Clock::now()));
  while (pool_->IsWritingRecording()) std::this_thread::yield();
  EXPECT_EQ(CountCalls(ChunksIn(path_)), 1U);
  hold.Release();
  pool_.reset();
}

TEST_F(JournalTest, AFullDiskEndsTheRecordingOnly) {
  MakeCounting({2});
  Reset(*pool_);
  FillDiskOf(path_);
  Step(*pool_, 0);
  EXPECT_TRUE(pool_->Close());
  EXPECT_EQ(pool_->TakeRecordingProblem(), path_ + ": No space left on device");
  EXPECT_EQ(pool_->TakeRecordingProblem(), "");
  EXPECT_EQ(Observations(*pool_, Step(*pool_, 0)), Ints{2});
}

}  // namespace
}  // namespace envpool
