// The handlers as XLA calls them, with a pool that is closed, gone, or used by several programs.
#include "xla/handlers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/xla/handlers_fixture.h"

namespace envpool::xla {
namespace {

class AsynchronousHandlers : public Handlers {
 protected:
  AsynchronousHandlers() : Handlers(1) {}
};

TEST_F(Handlers, TellTheirVersion) {
  Metadata metadata{sizeof(Metadata), {sizeof(Version), nullptr, -1, -1}, 7};
  MetadataExtension extension{{sizeof(MetadataExtension), kMetadataExtension, nullptr}, &metadata};
  CallFrame frame{};
  frame.extensions = &extension.base;
  EXPECT_EQ(HandleStep(&frame), nullptr);
  EXPECT_EQ(metadata.version.minor, kMinorVersion);
  EXPECT_EQ(metadata.traits, 0U);
}

TEST_F(Handlers, RefuseAPoolThatIsGone) {
  Call call = StepCall();
  const int before = CountRefused();
  entry_.reset();
  pool_.reset();
  EXPECT_EQ(call.Run(HandleStep).substr(0, 30), "the pool was closed or deleted");
  EXPECT_EQ(CountRefused(), before + 1);
}

TEST_F(AsynchronousHandlers, CloseEndsThoseThatWaitAndThoseThatCome) {
  for (int round = 0; round < 100; ++round) {
    entry_ = MakeEntry();
    pool_->SendReset({.env_ids = pool_->AllIds()});
    std::atomic<int> calls = 0;
    std::string error;
    std::thread program([&] {
      Call receive = MakeCall();
      AddRows(receive);
      while (error.empty()) {
        error = receive.Run(HandleReceive);
        Call send = MakeCall();
        send.AddArgument(ElementType::kInt32,
                         const_cast<std::int32_t*>(receive.Result<std::int32_t>(1)), {1});
        send.AddArgument(ElementType::kInt32, actions_.data(), {1});
        if (error.empty()) error = send.Run(HandleSend);
        ++calls;
      }
    });
    while (calls < 10) std::this_thread::yield();
    entry_->RetireAndClose([this] { pool_->Close(); });
    program.join();
    ASSERT_NE(error.find("closed"), std::string::npos) << error;
  }
}

// What it did may have come after all that close() did.
TEST_F(AsynchronousHandlers, EndDuringACloseThatIsThenRepeated) {
  std::shared_ptr<Port> call = FindPort(entry_->Id());
  int closes = 0;
  entry_->RetireAndClose([&] {
    call.reset();
    ++closes;
  });
  EXPECT_EQ(closes, 2);
}

// One that has found the pool just before it was closed, and waits for another call.
TEST_F(AsynchronousHandlers, AreToldOfACloseThatWasQuicker) {
  static std::atomic<bool> waits;
  waits = false;
  std::thread other([&] {
    EXPECT_THROW(pool_->Receive(std::chrono::hours(1), [] { waits = true; }), std::runtime_error);
  });
  while (!waits) std::this_thread::yield();
  std::string error;
  std::thread program([&] {
    Call receive = MakeCall();
    AddRows(receive);
    error = receive.Run(HandleReceive);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // else it has not found the pool
  entry_->Retire();
  pool_->Close();
  other.join();
  program.join();
  EXPECT_EQ(error.substr(0, 30), "the pool was closed or deleted");
}

TEST_F(Handlers, ServeSeveralProgramsAtOnce) {
  std::vector<std::thread> programs;
  std::atomic<int> steps = 0;
  for (int i = 0; i < 3; ++i) {
    programs.emplace_back([&] {
      Call call = StepCall();
      while (steps < 300) steps += call.Run(HandleStep).empty();
    });
  }
  for (std::thread& program : programs) program.join();
  EXPECT_GE(pool_->Stats(false).batches, 300);
}

}  // namespace
}  // namespace envpool::xla
