// Shared by the tests of the handlers: calls as XLA makes them, and a pool that they are made of.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/executor/pool_fixture.h"
#include "xla/handlers.h"
#include "xla/port.h"

namespace envpool::xla {

struct Error {
  std::string message;
  ErrorCode code;
};

inline Error* CreateError(ErrorRequest* request) {
  return new Error{request->message, request->code};
}

// The frame's context is the stream.
inline Error* GetStream(StreamRequest* request) {
  if (request->context == nullptr) {
    return new Error{"XLA has no stream here", ErrorCode::kInvalidArgument};
  }
  request->stream = request->context;
  return nullptr;
}

inline constexpr Api kApi{
    sizeof(Api), nullptr,     {sizeof(Version), nullptr, kMajorVersion, kMinorVersion},
    nullptr,     CreateError, nullptr,
    nullptr,     nullptr,     GetStream};

inline void* AddressOnCpu(void* memory) { return memory; }

// A call's memory. Arguments and results begin with the handle.
class Call {
 public:
  // The addresses that handlers are given are not those of the memory if this is a GPU's.
  using AddressOf = void* (*)(void*);

  explicit Call(std::int64_t pool, AddressOf address_of = AddressOnCpu)
      : address_of_(address_of), pool_(pool), handle_(pool) {
    AddArgument(ElementType::kUInt8, &handle_, {sizeof handle_});
    AddResult(ElementType::kUInt8, {sizeof handle_});
  }

  void AddArgument(ElementType type, void* data, std::vector<std::int64_t> sizes) {
    arguments_.push_back(MakeArray(type, std::move(sizes)));
    arguments_.back()->buffer.data = address_of_(data);
  }

  void AddResult(ElementType type, std::vector<std::int64_t> sizes) {
    results_.push_back(MakeArray(type, std::move(sizes)));
  }

  template <class T>
  const T* Result(std::size_t index) const {
    return reinterpret_cast<const T*>(results_[index]->memory.data());
  }

  // All that a result has room for.
  const std::vector<std::int64_t>& Memory(std::size_t index) const {
    return results_[index]->memory;
  }

  void SetHandle(std::int64_t handle) { handle_ = handle; }

  // The error's message, or nothing.
  std::string Run(Handler* handler, void* stream = nullptr) {
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
                    stream,
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

  std::unique_ptr<Array> MakeArray(ElementType type, std::vector<std::int64_t> sizes) const {
    auto array = std::make_unique<Array>();
    array->sizes = std::move(sizes);
    array->buffer = {sizeof(Buffer),
                     nullptr,
                     type,
                     address_of_(array->memory.data()),
                     static_cast<std::int64_t>(array->sizes.size()),
                     array->sizes.data()};
    return array;
  }

  static Buffers ArrayOf(std::vector<Buffer*>& buffers, std::vector<int>& types) {
    return {sizeof(Buffers), nullptr, static_cast<std::int64_t>(buffers.size()), types.data(),
            buffers.data()};
  }

  const AddressOf address_of_;
  std::int64_t pool_;
  std::int64_t handle_;
  std::vector<std::unique_ptr<Array>> arguments_;
  std::vector<std::unique_ptr<Array>> results_;
};

// A pool of the Counting environment, and calls of it that return ids and steps.
class Handlers : public testing::Test {
 protected:
  explicit Handlers(int batch_size = 2, Call::AddressOf address_of = AddressOnCpu)
      : address_of_(address_of),
        pool_(envpool::MakePool("Counting", 2, batch_size, 2)),
        entry_(MakeEntry()) {}

  std::unique_ptr<PortEntry> MakeEntry() const {
    return std::make_unique<PortEntry>(
        std::make_shared<Port>(pool_, Port::Config{{"@env_id", "@elapsed_step"}, {"@env_id"}, 64}));
  }

  Call MakeCall() const { return Call(entry_->Id(), address_of_); }

  Call StepCall() {
    Call call = MakeCall();
    call.AddArgument(ElementType::kInt32, actions_.data(), {2});
    AddRows(call);
    return call;
  }

  void AddRows(Call& call) {
    call.AddResult(ElementType::kInt32, {pool_->Config().batch_size});
    call.AddResult(ElementType::kInt32, {pool_->Config().batch_size});
  }

  const Call::AddressOf address_of_;
  std::shared_ptr<Pool> pool_;
  std::unique_ptr<PortEntry> entry_;
  std::array<std::int32_t, 2> actions_{};
};

}  // namespace envpool::xla
