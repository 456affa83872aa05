#include "xla/handlers.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string_view>

#include "xla/port.h"
#include "xla/ports.h"

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

bool IsHandle(const Buffer& buffer) {
  return buffer.type == ElementType::kUInt8 && buffer.rank == 1 &&
         buffer.sizes[0] == sizeof(std::int64_t);
}

// Takes the handle from the arguments to the results.
void PassHandle(const Buffer& from, const Buffer& to, std::int64_t pool) {
  if (!IsHandle(from) || !IsHandle(to)) throw std::invalid_argument("handle: expected uint8[8]");
  if (std::memcmp(from.data, &pool, sizeof pool) != 0) {
    throw std::invalid_argument("handle is another pool's, expected the one of the same xla()");
  }
  if (from.data != to.data) std::memcpy(to.data, from.data, sizeof pool);
}

template <class Operation>
Error* Handle(CallFrame* frame, Operation operation) {
  if (frame->extensions != nullptr && frame->extensions->type == kMetadataExtension) {
    Describe(*frame, *reinterpret_cast<MetadataExtension*>(frame->extensions)->metadata);
    return nullptr;
  }
  if (frame->stage != kExecute) return nullptr;
  try {
    const std::int64_t pool = ReadPool(frame->attributes);
    const Inputs inputs = BuffersOf(frame->arguments);
    const Outputs outputs = BuffersOf(frame->results);
    if (inputs.empty() || outputs.empty()) throw std::invalid_argument("there is no handle");
    PassHandle(*inputs[0], *outputs[0], pool);
    operation(*FindPort(pool), inputs.subspan(1), outputs.subspan(1));
    return nullptr;
  } catch (const std::invalid_argument& error) {
    return MakeError(*frame, ErrorCode::kInvalidArgument, error.what());
  } catch (const std::exception& error) {
    return MakeError(*frame, ErrorCode::kInternal, error.what());
  } catch (...) {
    return MakeError(*frame, ErrorCode::kInternal, "an exception of unknown type");
  }
}

}  // namespace

Error* HandleStep(CallFrame* frame) {
  return Handle(frame,
                [](Port& port, Inputs inputs, Outputs outputs) { port.Step(inputs, outputs); });
}

Error* HandleSend(CallFrame* frame) {
  return Handle(frame, [](Port& port, Inputs inputs, Outputs) { port.Send(inputs); });
}

Error* HandleReceive(CallFrame* frame) {
  return Handle(frame, [](Port& port, Inputs, Outputs outputs) { port.Receive(outputs); });
}

Error* HandleReset(CallFrame* frame) {
  return Handle(frame,
                [](Port& port, Inputs inputs, Outputs outputs) { port.Reset(inputs, outputs); });
}

}  // namespace envpool::xla
