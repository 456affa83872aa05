#include "xla/handlers.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string_view>

#include "xla/cuda_driver.h"
#include "xla/port.h"
#include "xla/staging.h"

namespace envpool::xla {

namespace {

// XLA refuses what was made for another version than its own.
void Describe(const CallFrame& frame, Metadata& metadata) {
  metadata.version.major = kMajorVersion;
  metadata.version.minor =
      frame.api == nullptr ? kMinorVersion : std::min(frame.api->version.minor, kMinorVersion);
  metadata.traits = 0;
}

Error* MakeError(const CallFrame& frame, ErrorCode code, const char* message) {
  ErrorRequest request{sizeof(ErrorRequest), nullptr, message, code};
  return frame.api->create_error(&request);
}

std::int64_t ReadPool(const Attributes& attributes) {
  for (std::int64_t i = 0; i < attributes.size; ++i) {
    const std::string_view name(attributes.names[i]->data, attributes.names[i]->size);
    if (name != "pool" || attributes.types[i] != kScalar) continue;
    const auto& scalar = *static_cast<const Scalar*>(attributes.values[i]);
    if (scalar.type == ElementType::kInt64) return *static_cast<const std::int64_t*>(scalar.value);
  }
  throw std::invalid_argument("the call has no attribute 'pool'");
}

std::span<Buffer* const> BuffersOf(const Buffers& buffers) {
  const std::span<const int> types(buffers.types, static_cast<std::size_t>(buffers.size));
  if (std::ranges::any_of(types, [](int type) { return type != kBuffer; })) {
    throw std::invalid_argument("the call has an argument or result that is no array");
  }
  return {buffers.values, types.size()};
}

void CheckShapeOfHandle(const Buffer& handle) {
  if (handle.type != ElementType::kUInt8 || handle.rank != 1 ||
      handle.sizes[0] != sizeof(std::int64_t)) {
    throw std::invalid_argument("handle: expected uint8[8]");
  }
}

void CheckHandle(const Buffer& handle, std::int64_t pool) {
  if (std::memcmp(handle.data, &pool, sizeof pool) != 0) {
    throw std::invalid_argument("handle is another pool's, expected the one of the same xla()");
  }
}

// What XLA itself says is wrong.
struct XlaError {
  Error* error;
};

CudaStream StreamOf(const CallFrame& frame) {
  StreamRequest request{sizeof(StreamRequest), nullptr, frame.context, nullptr};
  if (Error* error = frame.api->get_stream(&request)) throw XlaError{error};
  return request.stream;
}

// The arrays of a call, wherever they are.
struct Call {
  explicit Call(const CallFrame& frame)
      : pool(ReadPool(frame.attributes)),
        inputs(BuffersOf(frame.arguments)),
        outputs(BuffersOf(frame.results)) {
    if (inputs.empty() || outputs.empty()) throw std::invalid_argument("there is no handle");
    for (const Buffer* handle : {inputs[0], outputs[0]}) CheckShapeOfHandle(*handle);
  }

  bool HasToPassHandle() const { return inputs[0]->data != outputs[0]->data; }

  const std::int64_t pool;
  const Inputs inputs;    // the first is the handle
  const Outputs outputs;  // likewise
};

using Operation = void (Port::*)(Inputs, Outputs);

// A call that has found the pool just before it was closed may come to it only after that. The pool
// then refuses what it would refuse of a new one, and the program would not learn the reason.
void Operate(Operation operation, std::int64_t pool, Inputs inputs, Outputs outputs) {
  const std::shared_ptr<Port> port = FindPort(pool);
  try {
    ((*port).*operation)(inputs, outputs);
  } catch (const std::runtime_error&) {
    FindPort(pool);
    throw;
  }
}

void RunOnCpu(const CallFrame& frame, Operation operation) {
  const Call call(frame);
  CheckHandle(*call.inputs[0], call.pool);
  if (call.HasToPassHandle()) {
    std::memcpy(call.outputs[0]->data, call.inputs[0]->data, sizeof call.pool);
  }
  Operate(operation, call.pool, call.inputs.subspan(1), call.outputs.subspan(1));
}

void PassHandleOnGpu(const CudaDriver& driver, CudaStream stream, const Call& call) {
  driver.Call(driver.copy_on_device, reinterpret_cast<DeviceAddress>(call.outputs[0]->data),
              reinterpret_cast<DeviceAddress>(call.inputs[0]->data), sizeof call.pool, stream);
}

void RunOnGpu(const CallFrame& frame, Operation operation) {
  const Call call(frame);
  const CudaDriver& driver = CudaDriver::Get();
  const CudaStream stream = StreamOf(frame);
  // Where there is nothing but a handle, waiting for it would be all that the GPU is waited for.
  const bool reads = call.inputs.size() > 1;
  Staging staging(driver, stream, reads ? call.inputs : Inputs(), call.outputs.subspan(1));
  Inputs inputs = staging.Fetch();
  if (reads) {
    CheckHandle(*inputs[0], call.pool);
    inputs = inputs.subspan(1);
  }
  if (call.HasToPassHandle()) PassHandleOnGpu(driver, stream, call);
  // Not found before: whoever closes the pool waits for calls, but should not for the GPU.
  Operate(operation, call.pool, inputs, staging.HostOutputs());
  staging.Deliver();
}

template <class Run>
Error* Handle(CallFrame* frame, Operation operation, Run run) {
  if (frame->extensions != nullptr && frame->extensions->type == kMetadataExtension) {
    Describe(*frame, *reinterpret_cast<MetadataExtension*>(frame->extensions)->metadata);
    return nullptr;
  }
  if (frame->stage != kExecute) return nullptr;
  try {
    run(*frame, operation);
    return nullptr;
  } catch (const XlaError& refused) {
    return refused.error;
  } catch (const std::invalid_argument& error) {
    return MakeError(*frame, ErrorCode::kInvalidArgument, error.what());
  } catch (const std::exception& error) {
    return MakeError(*frame, ErrorCode::kInternal, error.what());
  } catch (...) {
    return MakeError(*frame, ErrorCode::kInternal, "an exception of unknown type");
  }
}

}  // namespace

Error* HandleStep(CallFrame* frame) { return Handle(frame, &Port::Step, RunOnCpu); }
Error* HandleSend(CallFrame* frame) { return Handle(frame, &Port::Send, RunOnCpu); }
Error* HandleReceive(CallFrame* frame) { return Handle(frame, &Port::Receive, RunOnCpu); }
Error* HandleReset(CallFrame* frame) { return Handle(frame, &Port::Reset, RunOnCpu); }

Error* HandleStepOnGpu(CallFrame* frame) { return Handle(frame, &Port::Step, RunOnGpu); }
Error* HandleSendOnGpu(CallFrame* frame) { return Handle(frame, &Port::Send, RunOnGpu); }
Error* HandleReceiveOnGpu(CallFrame* frame) { return Handle(frame, &Port::Receive, RunOnGpu); }
Error* HandleResetOnGpu(CallFrame* frame) { return Handle(frame, &Port::Reset, RunOnGpu); }

}  // namespace envpool::xla
