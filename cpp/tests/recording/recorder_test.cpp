// What callers note and what comes into the file, on disks that take it and on others.
#include "recording/recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/executor/pool_fixture.h"
#include "tests/recording/record_fixture.h"
#include "threads/threads.h"

namespace envpool {
namespace {

constexpr auto kForEver = Clock::time_point::max();

class RecorderTest : public testing::Test {
 protected:
  void Make(std::size_t most_bytes = Recorder::kMostBytes) {
    recorder_.emplace(path_, std::span(&field_, 1), most_bytes);
  }

  // One action of each of `count` environments.
  template <class T = std::int32_t>
  void AddStep(std::size_t count = 1) {
    const std::vector<T> actions(count, T{1});
    const ArrayView view{reinterpret_cast<const std::byte*>(actions.data()), DTypeOf<T>(), count};
    recorder_->AddSteps({}, {}, {&view, 1});
  }

  void Finish() {
    EXPECT_TRUE(recorder_->Stop(DontInterrupt, kForEver));
    EXPECT_FALSE(recorder_->IsWriting());
    EXPECT_EQ(RunningThreads(), 0);
  }

  static constexpr std::size_t kChunk = std::size_t{1} << 20U;  // bytes, and actions of a byte
  const Field field_ = Discrete("action", 2);
  const std::string path_ = FreshPath();
  StuckDisk disk_;  // outlives the recorder
  std::optional<Recorder> recorder_;
};

TEST_F(RecorderTest, HasNoThreadUntilSomethingIsNoted) {
  Make();
  EXPECT_FALSE(recorder_->IsWriting());
  Finish();
  EXPECT_EQ(ReadAll(path_).size(), kFileHead);
  EXPECT_EQ(recorder_->TakeProblem(), "");
}

TEST_F(RecorderTest, WritesWithoutBeingToldTo) {
  Make();
  AddStep();
  while (ChunksIn(path_).empty()) std::this_thread::yield();
  EXPECT_EQ(CountCalls(ChunksIn(path_)), 1U);
  AddStep();
  while (ChunksIn(path_).size() < 2) std::this_thread::yield();
  EXPECT_TRUE(recorder_->IsWriting());
}

TEST_F(RecorderTest, EndsChunksBetweenCalls) {
  Make();
  for (int i = 0; i < 6; ++i) AddStep(kChunk / 2);
  AddStep(kChunk);
  AddStep();
  Finish();
  const auto chunks = ChunksIn(path_);
  EXPECT_GE(chunks.size(), 5U);
  EXPECT_EQ(CountCalls(chunks), 8U);
  std::size_t actions = 0;
  for (const ReadChunk& chunk : chunks) actions += chunk.actions[0].Count();
  EXPECT_EQ(actions, 4 * kChunk + 1);
}

TEST_F(RecorderTest, HasAChunkForEachTypeOfActions) {
  Make();
  AddStep<std::int32_t>();
  AddStep<std::int32_t>();
  AddStep<double>();
  AddStep<std::int32_t>();
  Finish();
  const auto chunks = ChunksIn(path_);
  EXPECT_EQ(CountCalls(chunks), 4U);
  std::vector<DType> types;
  for (const ReadChunk& chunk : chunks) types.push_back(chunk.actions[0].dtype);
  const std::vector<DType> changes = {DType::kInt32, DType::kFloat64, DType::kInt32};
  types.erase(std::ranges::unique(types).begin(), types.end());  // a slow thread wrote between them
  EXPECT_EQ(types, changes);
}

TEST_F(RecorderTest, ThatIsSlowerThanThePoolEndsWithAllThatWasNoted) {
  Make(4 * kChunk);
  disk_.Hold(path_);
  std::size_t calls = 0;
  while (recorder_->IsOn()) {
    ASSERT_LT(calls, 20U);
    AddStep(kChunk / 2);
    ++calls;
  }
  AddStep();  // too late
  const std::string problem = recorder_->TakeProblem();
  EXPECT_TRUE(problem.starts_with(path_ + ": ")) << problem;
  EXPECT_TRUE(problem.ends_with(" MiB wait to be written, as the pool is faster than the disk"))
      << problem;
  disk_.Release();
  Finish();
  recorder_.reset();
  EXPECT_EQ(CountCalls(ChunksOf(disk_.Written())), calls);
}

// Such chunks are small, and many.
TEST_F(RecorderTest, ThatIsSlowEndsAlsoWhereTypesOfActionsChange) {
  Make(kChunk);
  disk_.Hold(path_);
  std::size_t calls = 0;
  for (; recorder_->IsOn(); ++calls) {
    ASSERT_LT(calls, 10'000U);
    if (calls % 2 == 0) {
      AddStep<std::int32_t>();
    } else {
      AddStep<double>();
    }
  }
  disk_.Release();
  Finish();
  recorder_.reset();
  EXPECT_EQ(CountCalls(ChunksOf(disk_.Written())), calls - 1) << "the last one did not fit";
}

TEST_F(RecorderTest, EndsWithWhatWasQueuedWhereSomethingCannotBeNoted) {
  Make();
  disk_.Hold(path_);
  AddStep(kChunk);
  recorder_->Append([](RecordChunk& chunk) {
    chunk.AddReset(0, std::nullopt);
    throw std::bad_alloc();
  });
  EXPECT_FALSE(recorder_->IsOn());
  bool is_called = false;
  recorder_->Append([&](RecordChunk&) { is_called = true; });
  recorder_->Try([&] { is_called = true; });
  EXPECT_FALSE(is_called);
  EXPECT_EQ(recorder_->TakeProblem(), path_ + ": out of memory");
  disk_.Release();
  Finish();
  recorder_.reset();
  const auto chunks = ChunksOf(disk_.Written());
  EXPECT_EQ(CountCalls(chunks), 1U);
  for (const ReadChunk& chunk : chunks) EXPECT_TRUE(chunk.events.empty());
}

TEST_F(RecorderTest, EndsWithWhatWasNotedWhereMoreCannotBePrepared) {
  Make();
  AddStep();
  recorder_->Try([] { throw std::runtime_error("no reason"); });
  recorder_->Try([] { throw std::runtime_error("another one"); });
  EXPECT_FALSE(recorder_->IsOn());
  EXPECT_EQ(recorder_->TakeProblem(), path_ + ": no reason");
  Finish();
  EXPECT_EQ(CountCalls(ChunksIn(path_)), 1U);
}

TEST_F(RecorderTest, TakesWhatIsNotedWhileItWrites) {
  Make();
  constexpr std::size_t kCalls = 20'000;
  for (std::size_t i = 0; i < kCalls; ++i) {
    AddStep(100);
    if (i % 1000 == 0) recorder_->RequestStop();
  }
  Finish();
  EXPECT_EQ(CountCalls(ChunksIn(path_)), kCalls);
}

}  // namespace
}  // namespace envpool
