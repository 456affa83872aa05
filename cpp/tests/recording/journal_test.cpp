// What a pool records, and that no disk holds it up.
#include "recording/journal.h"

#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/executor/pool_fixture.h"
#include "tests/recording/record_fixture.h"
#include "threads/threads.h"

namespace envpool {
namespace {

// What a recording has of an environment between two calls of steps.
struct Event {
  std::uint32_t call;
  std::int32_t env;
  RecordEvent kind;

  bool operator==(const Event&) const = default;
};

// What GTest prints of one that was not expected.
void PrintTo(const Event& event, std::ostream* out) {
  *out << "event " << static_cast<int>(event.kind) << " of " << event.env << " at " << event.call;
}

// A whole recording as if it were one chunk.
struct Recording {
  explicit Recording(const std::string& path) {
    for (ReadChunk& chunk : ChunksIn(path)) {
      for (std::size_t i = 0; i < chunk.event_envs.size(); ++i) {
        events.push_back({calls + chunk.event_calls[i], chunk.event_envs[i],
                          static_cast<RecordEvent>(chunk.event_kinds[i])});
        contents.push_back(chunk.event_contents[i]);
      }
      for (std::size_t i = 0; i < chunk.end_envs.size(); ++i) {
        end_calls.push_back(calls + chunk.end_calls[i]);
        end_envs.push_back(chunk.end_envs[i]);
        end_lengths.push_back(chunk.end_lengths[i]);
        end_flags.push_back(chunk.end_flags[i]);
      }
      calls += static_cast<std::uint32_t>(chunk.rows.size());
      rows.insert(rows.end(), chunk.rows.begin(), chunk.rows.end());
      ids.insert(ids.end(), chunk.ids.begin(), chunk.ids.end());
      const Ints sent = chunk.actions.at(0).As<std::int32_t>();
      actions.insert(actions.end(), sent.begin(), sent.end());
    }
  }

  std::uint32_t calls = 0;
  std::vector<std::uint32_t> rows;
  Ints ids, actions;
  std::vector<Event> events;
  std::vector<std::string> contents;
  std::vector<std::uint32_t> end_calls;
  Ints end_envs, end_lengths, end_flags;
};

// Fails in its third step, and cannot be saved.
class Hopeless final : public Env {
 public:
  explicit Hopeless(const Options&) {}
  void Reset(Random&, const Options&) override { steps_ = 0; }
  StepResult Step(const Action&, Random&) override {
    if (++steps_ == 3) throw std::runtime_error("the third step");
    return {};
  }
  void Observe(const Row& row) const override { row.Observation<std::int32_t>()[0] = steps_; }
  void Serialize(Archive&) override { throw std::runtime_error("no snapshots"); }

  static const EnvType& Type() {
    static const EnvType type{.name = "Hopeless",
                              .options = {},
                              .reset_options = {},
                              .spec = HeldEnv::MakeSpec,
                              .create = Create<Hopeless>};
    return type;
  }

 private:
  std::int32_t steps_ = 0;
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

  // The recording of the pool, which is closed.
  Recording Close() {
    pool_->Close();
    EXPECT_EQ(pool_->TakeRecordingProblem(), "");
    return Recording(path_);
  }

  const std::string path_ = FreshPath();
  StuckDisk disk_;  // outlives the pool
  std::unique_ptr<Pool> pool_;
};

TEST_F(JournalTest, HasCallsAndEnds) {
  MakeCounting({1, 3, 2});
  const std::vector<std::optional<std::uint64_t>> seeds = {5, std::nullopt, 7};
  pool_->Reset({.env_ids = pool_->AllIds(), .seeds = seeds}, NeverInterrupted);
  Step(*pool_, 0);
  pool_->Step({Ints{2, 1}, Actions(2, 1).View()}, NeverInterrupted);
  pool_->Step({Ints{0, 2, 1}, Actions(3, 0).View()}, NeverInterrupted);
  Step(*pool_, 1);
  const Recording recording = Close();
  EXPECT_EQ(recording.rows, (std::vector<std::uint32_t>{0, 2, 3, 0}));
  EXPECT_EQ(recording.ids, (Ints{2, 1, 0, 2, 1}));
  EXPECT_EQ(recording.actions, (Ints{0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(recording.events, (std::vector<Event>{{0, 0, RecordEvent::kSeededReset},
                                                  {0, 1, RecordEvent::kReset},
                                                  {0, 2, RecordEvent::kSeededReset}}));
  EXPECT_EQ(recording.contents[2], std::string("\7\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(recording.end_envs, (Ints{0, 2, 1, 0}));
  EXPECT_EQ(recording.end_calls, (std::vector<std::uint32_t>{1, 2, 3, 4}));
  EXPECT_EQ(recording.end_lengths, (Ints{1, 2, 3, 1}));
  EXPECT_EQ(recording.end_flags, (Ints{1, 1, 1, 1}));
}

TEST_F(JournalTest, HasStatesThatNoStepLeadsTo) {
  MakeCounting({5, 5});
  Reset(*pool_);
  const std::vector<std::string> states = pool_->Loans().GetState(Ints{0});
  Step(*pool_, 0);
  pool_->Loans().SetState(Ints{0}, std::vector<std::string_view>{states[0]});
  Options longer(TestType("Counting").options);
  longer.Set("episode_length", std::int64_t{9});
  pool_->Loans().SetOptions(Ints{1}, {longer}, NeverInterrupted,
                            std::vector<std::string>{"{longer}"});
  Step(*pool_, 0);
  Step(*pool_, 0);
  pool_->Loans().SetState(Ints{0}, std::vector<std::string_view>{states[0]});
  pool_->Reset({.env_ids = Ints{0}}, NeverInterrupted);
  const Recording recording = Close();
  EXPECT_EQ(recording.events, (std::vector<Event>{{0, 0, RecordEvent::kReset},
                                                  {0, 1, RecordEvent::kReset},
                                                  {1, 1, RecordEvent::kOptions},
                                                  {1, 0, RecordEvent::kState},
                                                  {1, 1, RecordEvent::kState},
                                                  {3, 0, RecordEvent::kState},
                                                  {3, 0, RecordEvent::kReset}}));
  EXPECT_EQ(recording.contents[2], "{longer}");
  EXPECT_EQ(recording.contents[3], states[0]);
  EXPECT_EQ(recording.contents[5], states[0]);
}

TEST_F(JournalTest, HasFailuresAndWhatCannotBeSaved) {
  Make(Hopeless::Type(), MakeConfig(Hopeless::Type(), 2, 2, 1));
  Reset(*pool_);
  for (int i = 0; i < 2; ++i) Step(*pool_, 0);
  pool_->Step({Ints{1}, Actions(1, 0).View()}, NeverInterrupted);
  pool_->Reset({.env_ids = Ints{1}}, NeverInterrupted);
  Send(*pool_, {1}, 0);
  pool_->Close();  // has forgotten whether that was run
  pool_->Step({Ints{1}, Actions(1, 0).View()}, NeverInterrupted);
  const Recording recording = Close();
  EXPECT_EQ(recording.events, (std::vector<Event>{{0, 0, RecordEvent::kReset},
                                                  {0, 1, RecordEvent::kReset},
                                                  {3, 1, RecordEvent::kReset},
                                                  {4, 1, RecordEvent::kLost}}));
  EXPECT_EQ(recording.contents[3], "no snapshots");
  EXPECT_EQ(recording.end_envs, Ints{1});
  EXPECT_EQ(recording.end_lengths, Ints{2});
  EXPECT_EQ(recording.end_flags, Ints{8});
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
  EXPECT_EQ(Recording(path_).calls, 1U);
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
