// The handlers for a GPU, with a stand-in for its driver: fake_cuda.h says what it is strict about.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/xla/fake_cuda.h"
#include "tests/xla/handlers_fixture.h"
#include "xla/cuda_driver.h"

namespace envpool::xla {
namespace {

// A stream of a context that has no memory yet.
void* NewStream() {
  static std::atomic<int> last = 0;
  return fake_cuda::MakeStream(++last);
}

class GpuHandlers : public Handlers {
 protected:
  explicit GpuHandlers(int batch_size = 2) : Handlers(batch_size, fake_cuda::OnDevice) {}
  ~GpuHandlers() override { EXPECT_EQ(fake_cuda::CountContexts(), 0U); }

  // Makes the call, and waits for its results as the program does that made it.
  std::string Run(Call& call, Handler* handler) {
    const std::string error = call.Run(handler, stream_);
    fake_cuda::Finish(stream_);
    return error;
  }

  // A step's results, or its error.
  std::string StepOnce(Call& call) {
    const std::string error = Run(call, HandleStepOnGpu);
    return error.empty() ? "step " + std::to_string(call.Result<std::int32_t>(2)[1]) : error;
  }

  void* const stream_ = NewStream();
};

class AsynchronousGpuHandlers : public GpuHandlers {
 protected:
  AsynchronousGpuHandlers() : GpuHandlers(1) {}
};

TEST_F(GpuHandlers, Step) {
  Call call = StepCall();
  EXPECT_EQ(StepOnce(call), "step 0");  // resets
  EXPECT_EQ(StepOnce(call), "step 1");
  EXPECT_EQ(*call.Result<std::int64_t>(0), entry_->Id());
  EXPECT_EQ(call.Result<std::int32_t>(1)[1], 1);
}

TEST_F(GpuHandlers, Reset) {
  Call step = StepCall();
  StepOnce(step);
  StepOnce(step);
  std::array<bool, 2> mask{false, true};
  Call reset = MakeCall();
  reset.AddArgument(ElementType::kBool, mask.data(), {2});
  reset.AddResult(ElementType::kInt32, {2});
  EXPECT_EQ(Run(reset, HandleResetOnGpu), "");
  EXPECT_EQ(reset.Result<std::int32_t>(1)[1], 1);
  EXPECT_EQ(StepOnce(step), "step 1");
  EXPECT_EQ(step.Result<std::int32_t>(2)[0], 2);
}

TEST_F(GpuHandlers, WaitForWhatWritesTheArguments) {
  Call call = StepCall();
  actions_[1] = -1;
  fake_cuda::Enqueue(stream_, [this] { actions_[1] = 5; });
  EXPECT_EQ(StepOnce(call), "step 0");
}

// Whoever closes the pool then has nothing to wait for.
TEST_F(GpuHandlers, LeaveThePoolAloneWhileTheyWait) {
  Call call = StepCall();
  bool is_being_called = true;
  fake_cuda::Enqueue(stream_, [&] {
    entry_->Retire();
    is_being_called = entry_->IsBeingCalled();
  });
  EXPECT_EQ(StepOnce(call).substr(0, 30), "the pool was closed or deleted");
  EXPECT_FALSE(is_being_called);
}

TEST_F(GpuHandlers, RefuseWhatTheOthersRefuse) {
  Call call = StepCall();
  call.SetHandle(entry_->Id() + 1);
  EXPECT_EQ(Run(call, HandleStepOnGpu),
            "handle is another pool's, expected the one of the same xla()");
  call.SetHandle(entry_->Id());
  actions_[0] = -1;
  EXPECT_EQ(Run(call, HandleStepOnGpu), "action[0] is -1, expected an integer from 0 to 999");
  actions_[0] = 0;
  EXPECT_EQ(call.Run(HandleStepOnGpu), "XLA has no stream here");
  Call complex = MakeCall();
  complex.AddArgument(ElementType{15}, actions_.data(), {2});
  EXPECT_EQ(Run(complex, HandleSendOnGpu),
            "an array has dtype XLA's type 15, expected a type that pools have");
  entry_.reset();
  EXPECT_EQ(Run(call, HandleStepOnGpu).substr(0, 30), "the pool was closed or deleted");
}

TEST_F(AsynchronousGpuHandlers, DoNotWaitForResults) {
  pool_->SendReset({.env_ids = pool_->AllIds()});
  Call first = MakeCall(), second = MakeCall();
  for (Call* call : {&first, &second}) AddRows(*call);
  EXPECT_EQ(first.Run(HandleReceiveOnGpu, stream_), "");
  EXPECT_EQ(second.Run(HandleReceiveOnGpu, stream_), "");
  // Neither has arrived, and both do.
  EXPECT_EQ(first.Result<std::int64_t>(0)[0], 0);
  fake_cuda::Finish(stream_);
  EXPECT_EQ((std::set{first.Result<std::int32_t>(1)[0], second.Result<std::int32_t>(1)[0]}),
            (std::set<std::int32_t>{0, 1}));
}

TEST_F(AsynchronousGpuHandlers, UseMemoryAgainWhenItsCopiesAreOver) {
  pool_->SendReset({.env_ids = pool_->AllIds()});
  const std::size_t before = fake_cuda::CountPinned();
  for (int i = 0; i < 100; ++i) {
    Call receive = MakeCall();
    AddRows(receive);
    EXPECT_EQ(receive.Run(HandleReceiveOnGpu, stream_), "");
    // Its ids go from the GPU to the GPU, and nobody else waits for them.
    Call send = MakeCall();
    send.AddArgument(ElementType::kInt32,
                     const_cast<std::int32_t*>(receive.Result<std::int32_t>(1)), {1});
    send.AddArgument(ElementType::kInt32, actions_.data(), {1});
    EXPECT_EQ(send.Run(HandleSendOnGpu, stream_), "");
    fake_cuda::Finish(stream_);
  }
  EXPECT_EQ(fake_cuda::CountPinned() - before, 2U);  // the ids are sent while they are copied
}

// The columns of a step, with all types that there are.
std::vector<std::string> ColumnsOf(const Layout& layout) {
  std::vector<std::string> names;
  for (const NamedColumn& column : layout.all) names.push_back(column.name);
  return names;
}

ElementType TypeOf(DType dtype, bool has_64_bits) {
  switch (dtype) {
    case DType::kBool: return ElementType::kBool;
    case DType::kUInt8: return ElementType::kUInt8;
    case DType::kInt64: return has_64_bits ? ElementType::kInt64 : ElementType::kInt32;
    case DType::kFloat64: return has_64_bits ? ElementType::kFloat64 : ElementType::kFloat32;
    case DType::kFloat32: return ElementType::kFloat32;
    default: return ElementType::kInt32;
  }
}

// A pool of the environment that echoes its actions, and a call that steps it.
struct Echo {
  explicit Echo(Call::AddressOf address_of, bool has_64_bits)
      : pool(MakePool("Structured", 2, 2, 2)),
        entry(std::make_shared<Port>(pool, Port::Config{ColumnsOf(pool->GetLayout()), {}, 64})),
        call(entry.Id(), address_of) {
    call.AddArgument(ElementType::kFloat32, forces.data(), {2, 2, 2});
    call.AddArgument(ElementType::kInt8, gears.data(), {2});
    call.AddArgument(ElementType::kBool, lamps.data(), {2, 3});
    call.AddArgument(ElementType::kInt32, dials.data(), {2, 2});
    for (const NamedColumn& column : pool->GetLayout().all) {
      std::vector<std::int64_t> sizes{2};
      sizes.insert(sizes.end(), column.shape.begin(), column.shape.end());
      call.AddResult(TypeOf(column.dtype, has_64_bits), sizes);
    }
  }

  std::array<float, 8> forces{0.1F, -0.2F, 0.3F, -0.4F, 0.5F, -0.6F, 0.7F, -0.8F};
  std::array<std::int8_t, 2> gears{3, -1};
  std::array<bool, 6> lamps{true, false, true, false, true, true};
  std::array<std::int32_t, 4> dials{1, 8, 0, 7};
  std::shared_ptr<Pool> pool;
  PortEntry entry;
  Call call;
};

class Bits : public testing::TestWithParam<bool> {};

TEST_P(Bits, AreThoseOfTheCpus) {
  Echo on_cpu(AddressOnCpu, GetParam()), on_gpu(fake_cuda::OnDevice, GetParam());
  void* const stream = NewStream();
  for (int step = 0; step < 3; ++step) {
    EXPECT_EQ(on_cpu.call.Run(HandleStep), "");
    EXPECT_EQ(on_gpu.call.Run(HandleStepOnGpu, stream), "");
    fake_cuda::Finish(stream);
    const std::vector<NamedColumn>& columns = on_cpu.pool->GetLayout().all;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      EXPECT_EQ(on_cpu.call.Memory(i + 1), on_gpu.call.Memory(i + 1)) << columns[i].name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Bits, testing::Bool());

// A driver's failure is an error that names it, and changes nothing but that a step may have been
// made whose results are lost.
struct Failure {
  std::string function;
  int skipped;  // calls that succeed before it
  bool has_stepped;
};

class DriverFailures : public GpuHandlers, public testing::WithParamInterface<Failure> {};

TEST_P(DriverFailures, AreErrors) {
  const auto& [function, skipped, has_stepped] = GetParam();
  Call call = StepCall();
  if (function == "cuEventQuery") StepOnce(call);  // there is an event, then
  pool_->Reset({.env_ids = pool_->AllIds()}, NeverInterrupted);
  const std::size_t events = fake_cuda::CountEvents();
  const std::size_t pinned = fake_cuda::CountPinned();
  fake_cuda::FailNext(function, 1, skipped);
  EXPECT_EQ(StepOnce(call), "the GPU's driver failed in " + function + ": failed on purpose (719)");
  EXPECT_FALSE(fake_cuda::IsToFail());
  EXPECT_EQ(fake_cuda::CountEvents() - events, fake_cuda::CountPinned() - pinned);
  EXPECT_EQ(StepOnce(call), has_stepped ? "step 2" : "step 1");
}

INSTANTIATE_TEST_SUITE_P(
    Of, DriverFailures,
    testing::Values(Failure{"cuStreamGetCtx", 0, false}, Failure{"cuCtxPushCurrent", 0, false},
                    Failure{"cuEventQuery", 0, false}, Failure{"cuEventCreate", 0, false},
                    Failure{"cuMemHostRegister", 0, false}, Failure{"cuMemcpyDtoHAsync", 0, false},
                    Failure{"cuMemcpyDtoHAsync", 1, false},
                    Failure{"cuStreamSynchronize", 0, false},
                    Failure{"cuMemcpyDtoDAsync", 0, false}, Failure{"cuMemcpyHtoDAsync", 0, true},
                    Failure{"cuMemcpyHtoDAsync", 1, true}, Failure{"cuEventRecord", 0, true}));

// Nobody knows what a copy does whose stream can't be waited for.
TEST_F(GpuHandlers, DropMemoryThatMayBeInUse) {
  Call call = StepCall();
  StepOnce(call);
  const std::size_t before = fake_cuda::CountPinned();
  StepOnce(call);
  EXPECT_EQ(fake_cuda::CountPinned(), before);
  fake_cuda::FailNext("cuStreamSynchronize", 2);
  EXPECT_NE(StepOnce(call).find("cuStreamSynchronize"), std::string::npos);
  EXPECT_EQ(StepOnce(call), "step 2");
  EXPECT_EQ(fake_cuda::CountPinned(), before + 1);
}

TEST_F(GpuHandlers, ServeSeveralProgramsAtOnce) {
  std::vector<std::thread> programs;
  std::atomic<int> steps = 0;
  for (int i = 0; i < 3; ++i) {
    programs.emplace_back([&, stream = i == 0 ? NewStream() : fake_cuda::MakeStream(-1)] {
      Call call = StepCall();
      while (steps < 300) {
        steps += call.Run(HandleStepOnGpu, stream).empty();
        fake_cuda::Finish(stream);
      }
    });
  }
  for (std::thread& program : programs) program.join();
  EXPECT_GE(pool_->Stats(false).batches, 300);
}

TEST(CudaDriver, IsASentenceWhereThereIsNone) {
  EXPECT_EQ(Refusal([] { CudaDriver("libno_such_driver.so.1"); }),
            "programs on a GPU need NVIDIA's driver, which does not load: "
            "libno_such_driver.so.1: cannot open shared object file: No such file or directory");
  EXPECT_EQ(Refusal([] { CudaDriver("libc.so.6"); }),
            "NVIDIA's driver (libc.so.6) has no function cuGetErrorString: it is older than CUDA "
            "10, update it");
}

}  // namespace
}  // namespace envpool::xla
