// The handlers as XLA calls them, with a pool that is closed, gone, or used by several programs.
#include "xla/handlers.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/executor/pool_fixture.h"
#include "xla/ports.h"

namespace envpool::xla {

struct Error {
  std::string message;
  ErrorCode code;
};

namespace {

Error* CreateError(ErrorRequest* request) { return new Error{request->message, request->code}; }

const Api kApi{sizeof(Api),
               nullptr,
               {sizeof(Version), nullptr, kMajorVersion, kMinorVersion},
               nullptr,
               CreateError};

// A call's memory. Arguments and results begin with the handle.
class Call {
 public:
  explicit Call(std::int64_t pool) : pool_(pool), handle_(pool) {
    AddArgument(ElementType::kUInt8, &handle_, {sizeof handle_});
    AddResult(ElementType::kUInt8, {sizeof handle_});
  }

  void AddArgument(ElementType type, void* data, std::vector<std::int64_t> sizes) {
    arguments_.push_back(MakeArray(type, std::move(sizes)));
    arguments_.back()->buffer.data = data;
  }

  void AddResult(ElementType type, std::vector<std::int64_t> sizes) {
    results_.push_back(MakeArray(type, std::move(sizes)));
  }

  template <class T>
  const T* Result(std::size_t index) const {
    return reinterpret_cast<const T*>(results_[index]->memory.data());
  }

  void SetHandle(std::int64_t handle) { handle_ = handle; }

  // The error's message, or nothing.
  std::string Run(Handler* handler) {
    std::vector<Buffer*> arguments, results;
    for (const auto& array : arguments_) arguments.push_back(&array->buffer);
    for (const auto& array : results_) results.push_back(&array->buffer);
    std::vector<int> types(std::max(arguments.size(), results.size()), kBuffer);
    Scalar scalar{ElementType::kInt64, &pool_};
    Text name{"pool", 4};
    int kind = kScalar;
    Text* names = &name;
    void* values = &scalar;
    CallFrame frame{sizeof(CallFrame),
                    nullptr,
                    &kApi,
                    nullptr,
                    kExecute,
                    ArrayOf(arguments, types),
                    ArrayOf(results, types),
                    {sizeof(Attributes), nullptr, 1, &kind, &names, &values}};
    const std::unique_ptr<Error> error(handler(&frame));
    return error ? error->message : "";
  }

 private:
  struct Array {
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> memory = std::vector<std::int64_t>(64);
    Buffer buffer;
  };

  static std::unique_ptr<Array> MakeArray(ElementType type, std::vector<std::int64_t> sizes) {
    auto array = std::make_unique<Array>();
    array->sizes = std::move(sizes);
    array->buffer = {sizeof(Buffer),
                     nullptr,
                     type,
                     array->memory.data(),
                     static_cast<std::int64_t>(array->sizes.size()),
                     array->sizes.data()};
    return array;
  }

  static Buffers ArrayOf(std::vector<Buffer*>& buffers, std::vector<int>& types) {
    return {sizeof(Buffers), nullptr, static_cast<std::int64_t>(buffers.size()), types.data(),
            buffers.data()};
  }

  std::int64_t pool_;
  std::int64_t handle_;
  std::vector<std::unique_ptr<Array>> arguments_;
  std::vector<std::unique_ptr<Array>> results_;
};

// A pool of the Counting environment, and calls of it that return ids and steps.
class Handlers : public testing::Test {
 protected:
  explicit Handlers(int batch_size = 2)
      : pool_(envpool::MakePool("Counting", 2, batch_size, 2)),
        entry_(std::make_unique<PortEntry>(std::make_shared<Port>(
            pool_, Port::Config{{"@env_id", "@elapsed_step"}, {"@env_id"}, 64}))) {}

  Call StepCall() {
    Call call(entry_->Id());
    call.AddArgument(ElementType::kInt32, actions_.data(), {2});
    AddRows(call);
    return call;
  }

  void AddRows(Call& call) {
    call.AddResult(ElementType::kInt32, {pool_->Config().batch_size});
    call.AddResult(ElementType::kInt32, {pool_->Config().batch_size});
  }

  std::shared_ptr<Pool> pool_;
  std::unique_ptr<PortEntry> entry_;
  std::array<std::int32_t, 2> actions_{};
};

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

TEST_F(Handlers, Step) {
  Call call = StepCall();
  EXPECT_EQ(call.Run(HandleStep), "");  // resets
  EXPECT_EQ(call.Run(HandleStep), "");
  EXPECT_EQ(*call.Result<std::int64_t>(0), entry_->Id());
  EXPECT_EQ(call.Result<std::int32_t>(1)[1], 1);
  EXPECT_EQ(call.Result<std::int32_t>(2)[1], 1);
}

TEST_F(Handlers, RefuseOthersHandles) {
  Call call = StepCall();
  call.SetHandle(entry_->Id() + 1);
  EXPECT_EQ(call.Run(HandleStep), "handle is another pool's, expected the one of the same xla()");
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
  pool_->SendReset({.env_ids = pool_->AllIds()});
  std::atomic<int> calls = 0;
  std::string error;
  std::thread program([&] {
    Call receive(entry_->Id());
    AddRows(receive);
    while (error.empty()) {
      error = receive.Run(HandleReceive);
      Call send(entry_->Id());
      send.AddArgument(ElementType::kInt32,
                       const_cast<std::int32_t*>(receive.Result<std::int32_t>(1)), {1});
      send.AddArgument(ElementType::kInt32, actions_.data(), {1});
      if (error.empty()) error = send.Run(HandleSend);
      ++calls;
    }
  });
  while (calls < 100) std::this_thread::yield();
  entry_->Retire();
  do {
    pool_->Close();
  } while (entry_->IsBeingCalled());
  program.join();
  EXPECT_NE(error.find("closed"), std::string::npos) << error;
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
