// How a caller waits for a batch.
#include "results/receiver.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "results/batches.h"
#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

using std::chrono::milliseconds;

// Completes the rows of its requests, after a while.
class Completer final : public Runner {
 public:
  Tally Run(std::span<Request> requests, bool) override {
    std::this_thread::sleep_for(time);
    return {static_cast<int>(requests.size()), 0};
  }
  void Publish(std::span<const Request> requests, Clock::time_point now) override {
    if (LocalBatches::Complete(requests, now)) receiver->Wake();
  }

  std::chrono::nanoseconds time{0};
  Receiver* receiver = nullptr;
};

class ReceiverTest : public testing::TestWithParam<bool> {
 protected:
  ReceiverTest() {
    runner_.receiver = &receiver_;
    scheduler_.Start();
  }
  ~ReceiverTest() override { scheduler_.FinishStop(); }

  void Send(const Ints& ids) {
    batches_.Open(ids.size(), nullptr);
    scheduler_.Enqueue(ids, batches_.Newest(), GetParam());
  }
  bool Await(std::chrono::nanoseconds timeout, Interrupt interrupt = NeverInterrupted) {
    return receiver_.Await(Clock::now() + timeout, interrupt);
  }

  OrderedBatches batches_{std::make_shared<BlockPool>(64, 2)};
  Completer runner_;
  Attendance attendance_;
  std::atomic<int> closing_ = 0;
  // With as many threads as cores, so that the receiver helps where it does not work; also where a
  // sanitizer makes all steps slow.
  Scheduler scheduler_{
      {.num_envs = 8,
       .num_threads = static_cast<int>(std::max(std::thread::hardware_concurrency(), 2U)),
       .caller_works = GetParam(),
       .light_step = milliseconds(10)},
      runner_,
      attendance_};
  Receiver receiver_{batches_, scheduler_, closing_};
};

TEST_P(ReceiverTest, GetsBatchAfterBatch) {
  for (int round = 0; round < 200; ++round) {
    Send({0, 1, 2});
    Send({5});
    EXPECT_TRUE(Await(std::chrono::seconds(60)));
    EXPECT_EQ(batches_.Take().rows, 3U);
    EXPECT_TRUE(Await(std::chrono::seconds(60)));
    EXPECT_EQ(batches_.Take().rows, 1U);
  }
}

TEST_P(ReceiverTest, WaitsNoLongerThanItsTime) {
  EXPECT_FALSE(Await(milliseconds(5)));
  runner_.time = milliseconds(100);
  Send({0});
  EXPECT_FALSE(Await(milliseconds(10)));
  EXPECT_TRUE(Await(std::chrono::seconds(60))) << "nothing is lost";
}

TEST_P(ReceiverTest, IsInterruptedWhileItWaits) {
  runner_.time = milliseconds(200);
  Send({0});
  EXPECT_THROW(Await(std::chrono::seconds(60), InterruptAtOnce), Interrupted);
  EXPECT_TRUE(Await(std::chrono::seconds(60)));
}

TEST_P(ReceiverTest, EndsWhenThePoolIsClosing) {
  auto waiting = std::async(std::launch::async, [this] { return Await(std::chrono::seconds(60)); });
  std::this_thread::sleep_for(milliseconds(20));
  closing_ = 1;
  receiver_.Wake();
  EXPECT_FALSE(waiting.get());
}

INSTANTIATE_TEST_SUITE_P(CallerWorks, ReceiverTest, testing::Bool());

}  // namespace
}  // namespace envpool
