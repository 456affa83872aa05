// Where rows go, and which batch is received when: both kinds of batches.
#include "results/batches.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace envpool {
namespace {

constexpr std::size_t kBlockBytes = 64;
const Clock::time_point kNow;

std::shared_ptr<BlockPool> MakeBlocks() { return std::make_shared<BlockPool>(kBlockBytes, 8); }

// `count` requests for rows of this batch.
std::vector<Request> Requests(Batch* batch, std::size_t count) {
  std::vector<Request> requests;
  for (std::uint32_t i = 0; i < count; ++i) requests.push_back({i, i, batch, Cost::kLight});
  return requests;
}

// Where the results of `rows` requests go.
Batch* Open(LocalBatches& batches, std::size_t rows) {
  batches.Open(rows, nullptr);
  return batches.Newest();
}

// Lets `count` requests finish.
std::vector<Request> Finish(LocalBatches& batches, std::size_t count) {
  std::vector<Request> requests = Requests(nullptr, count);
  batches.TakeRows(requests);
  LocalBatches::Complete(requests, kNow);
  return requests;
}

TEST(OrderedBatches, AreReceivedInTheOrderOfTheSends) {
  OrderedBatches batches(MakeBlocks());
  batches.Start();
  EXPECT_EQ(batches.RequestsNeeded(), 1U);
  EXPECT_FALSE(batches.HasOpen());
  EXPECT_FALSE(batches.IsFrontReady());
  Batch* first = Open(batches, 2);
  Batch* second = Open(batches, 3);
  EXPECT_TRUE(batches.HasOpen());
  EXPECT_TRUE(LocalBatches::Complete(Requests(second, 3), kNow));
  EXPECT_FALSE(batches.IsFrontReady()) << "the second is ready, and the first is not";
  EXPECT_FALSE(LocalBatches::Complete(Requests(first, 1), kNow));
  EXPECT_FALSE(batches.IsFrontReady());
  EXPECT_TRUE(LocalBatches::Complete(Requests(first, 1), kNow));
  EXPECT_TRUE(batches.IsFrontReady());
  EXPECT_EQ(batches.FrontAge(), Duration::zero());
  EXPECT_EQ(batches.Take().rows, 2U);
  EXPECT_TRUE(batches.IsFrontReady()) << "the second, at once";
  EXPECT_EQ(batches.Take().rows, 3U);
  EXPECT_FALSE(batches.IsFrontReady());
  EXPECT_FALSE(batches.HasOpen());
}

TEST(OrderedBatches, LeaveRowsAsTheyAre) {
  OrderedBatches batches(MakeBlocks());
  Batch* batch = Open(batches, 3);
  std::vector<Request> requests = Requests(batch, 3);
  requests[0].row = 2;
  batches.TakeRows(requests);
  EXPECT_EQ(requests[0].row, 2U);
  EXPECT_EQ(requests[0].batch, batch);
}

TEST(OrderedBatches, AreUsedAgain) {
  OrderedBatches batches(MakeBlocks());
  Batch* first = Open(batches, 1);
  first->Fail({0, 7, "failed"});
  LocalBatches::Complete(Requests(first, 1), kNow);
  EXPECT_EQ(batches.Take().errors.size(), 1U);
  EXPECT_EQ(Open(batches, 1), first);
  LocalBatches::Complete(Requests(first, 1), kNow);
  EXPECT_TRUE(batches.Take().errors.empty());
}

TEST(OrderedBatches, ForgetWhatIsOpen) {
  OrderedBatches batches(MakeBlocks());
  LocalBatches::Complete(Requests(Open(batches, 1), 1), kNow);
  Open(batches, 1);
  batches.Forget();
  EXPECT_FALSE(batches.HasOpen());
  EXPECT_FALSE(batches.IsFrontReady());
  batches.Start();
  EXPECT_FALSE(batches.IsFrontReady());
  LocalBatches::Complete(Requests(Open(batches, 4), 4), kNow);
  EXPECT_EQ(batches.Take().rows, 4U);
}

TEST(FirstComeBatches, GiveRowsInTheOrderOfFinishing) {
  FirstComeBatches batches(MakeBlocks(), 8, 3);
  EXPECT_EQ(batches.RequestsNeeded(), 3U);
  EXPECT_FALSE(batches.IsFrontReady()) << "not started";
  batches.Start();
  EXPECT_EQ(Open(batches, 5), nullptr);
  EXPECT_FALSE(batches.HasOpen()) << "batches belong to no send";
  const std::vector<Request> requests = Finish(batches, 5);
  const std::vector<std::uint32_t> rows = {0, 1, 2, 0, 1};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(requests[i].row, rows[i]);
    EXPECT_EQ(requests[i].batch == requests[0].batch, i < 3);
  }
  EXPECT_TRUE(batches.IsFrontReady());
  EXPECT_EQ(batches.Take().rows, 3U);
  EXPECT_FALSE(batches.IsFrontReady());
  Finish(batches, 1);
  EXPECT_TRUE(batches.IsFrontReady());
}

TEST(FirstComeBatches, AReadyOneWaitsForThoseBefore) {
  FirstComeBatches batches(MakeBlocks(), 4, 2);
  batches.Start();
  std::vector<Request> slow = Requests(nullptr, 1);
  batches.TakeRows(slow);
  const std::vector<Request> quick = Finish(batches, 3);
  EXPECT_EQ(quick[0].batch, slow[0].batch);
  EXPECT_TRUE(quick[1].batch->Ready());
  EXPECT_FALSE(batches.IsFrontReady());
  EXPECT_TRUE(LocalBatches::Complete(slow, kNow));
  EXPECT_TRUE(batches.IsFrontReady());
  EXPECT_GT(batches.FrontAge(), Duration::zero());
}

// Results of all environments can lie in batches that nobody has received: the window is as wide.
TEST(FirstComeBatches, UseTheirWindowAgain) {
  constexpr std::size_t kEnvs = 7;
  constexpr std::size_t kRows = 3;
  FirstComeBatches batches(MakeBlocks(), kEnvs, kRows);
  batches.Start();
  std::set<Batch*> window;
  std::size_t in_flight = 0;
  for (int round = 0; round < 100; ++round) {
    for (const Request& request : Finish(batches, kEnvs - in_flight)) window.insert(request.batch);
    in_flight = kEnvs;
    while (batches.IsFrontReady()) {
      const Delivery delivery = batches.Take();
      EXPECT_EQ(delivery.rows, kRows);
      EXPECT_NE(delivery.block.get(), nullptr);
      in_flight -= kRows;
    }
    EXPECT_LT(in_flight, kRows);
  }
  EXPECT_EQ(window.size(), kEnvs / kRows + 2);
}

TEST(FirstComeBatches, ForgetEverythingAndStartAnew) {
  FirstComeBatches batches(MakeBlocks(), 4, 2);
  batches.Start();
  Finish(batches, 3)[0].batch->Fail({0, 0, "failed"});
  batches.Forget();
  EXPECT_FALSE(batches.IsFrontReady());
  batches.Start();
  EXPECT_FALSE(batches.IsFrontReady());
  EXPECT_EQ(Finish(batches, 2)[0].row, 0U);
  EXPECT_TRUE(batches.Take().errors.empty());
}

TEST(Batches, AnEmptyDeliveryHasABlock) {
  const Delivery delivery = OrderedBatches(MakeBlocks()).Empty();
  EXPECT_EQ(delivery.rows, 0U);
  EXPECT_NE(delivery.block.get(), nullptr);
}

// The receiver asks without a lock while others open and complete batches.
TEST(Batches, TheFrontIsWatchedWithoutALock) {
  constexpr int kBatches = 20000;
  OrderedBatches batches(MakeBlocks());
  std::mutex callers;
  std::atomic<Batch*> opened = nullptr;
  std::thread sender([&] {
    for (int i = 0; i < kBatches; ++i) {
      while (opened.load() != nullptr) std::this_thread::yield();
      const std::lock_guard lock(callers);
      opened.store(Open(batches, 2));
    }
  });
  std::thread worker([&] {
    for (int i = 0; i < kBatches; ++i) {
      Batch* batch = nullptr;
      while ((batch = opened.exchange(nullptr)) == nullptr) std::this_thread::yield();
      batch->Block()[0] = static_cast<std::byte>(i % 100);
      LocalBatches::Complete(Requests(batch, 1), kNow);
      LocalBatches::Complete(Requests(batch, 1), kNow);
    }
  });
  for (int i = 0; i < kBatches; ++i) {
    while (!batches.IsFrontReady()) std::this_thread::yield();
    const std::lock_guard lock(callers);
    const Delivery delivery = batches.Take();
    ASSERT_EQ(delivery.block.get()[0], static_cast<std::byte>(i % 100));
  }
  sender.join();
  worker.join();
}

}  // namespace
}  // namespace envpool
