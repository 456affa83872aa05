#include "tests/xla/fake_cuda.h"

#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace {

enum Result : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kInvalidContext = 201,
  kNotReady = 600,
  kFailure = 719,
};

// No user program on x86-64 or aarch64 has memory there.
constexpr std::uintptr_t kDeviceBit = std::uintptr_t{1} << 62;

struct Event {
  int pending = 0;
};

struct Stream {
  int context;
  std::deque<std::function<void()>> work;
};

struct Driver {
  std::mutex mutex;
  std::map<std::uintptr_t, std::size_t> pinned;
  std::size_t events = 0;
  std::string failing;
  int skipped = 0;
  int failures = 0;
  std::map<int, int> contexts;  // whose addresses are their handles
};

Driver& TheDriver() {
  static Driver& driver = *new Driver;
  return driver;
}

thread_local std::vector<void*> current;

using Lock = std::lock_guard<std::mutex>;

bool Fails(const char* function) {
  Driver& driver = TheDriver();
  const Lock lock(driver.mutex);
  if (driver.failing != function || driver.failures == 0) return false;
  if (driver.skipped > 0) {
    --driver.skipped;
    return false;
  }
  --driver.failures;
  return true;
}

void* ContextOf(const Stream& stream) {
  Driver& driver = TheDriver();
  const Lock lock(driver.mutex);
  return &driver.contexts[stream.context];
}

Stream& StreamAt(void* stream) { return *static_cast<Stream*>(stream); }

bool IsCurrent(void* stream) {
  return !current.empty() && current.back() == ContextOf(StreamAt(stream));
}

bool IsPinned(const void* memory, std::size_t bytes) {
  Driver& driver = TheDriver();
  const Lock lock(driver.mutex);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const auto next = driver.pinned.upper_bound(begin);
  if (next == driver.pinned.begin()) return false;
  const auto& [start, size] = *std::prev(next);
  return begin + bytes <= start + size;
}

void* MemoryAt(std::uint64_t address) { return reinterpret_cast<void*>(address & ~kDeviceBit); }

bool IsOnDevice(std::uint64_t address) { return (address & kDeviceBit) != 0; }

Result Copy(void* to, const void* from, std::size_t bytes, void* stream) {
  if (!IsCurrent(stream)) return kInvalidContext;
  const Lock lock(TheDriver().mutex);
  StreamAt(stream).work.push_back([=] { std::memcpy(to, from, bytes); });
  return kSuccess;
}

}  // namespace

namespace fake_cuda {

void* OnDevice(void* memory) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(memory) | kDeviceBit);
}

void* MakeStream(int context) {
  static std::deque<Stream>& streams = *new std::deque<Stream>;
  const Lock lock(TheDriver().mutex);
  return &streams.emplace_back(Stream{context, {}});
}

void Enqueue(void* stream, std::function<void()> work) {
  const Lock lock(TheDriver().mutex);
  StreamAt(stream).work.push_back(std::move(work));
}

void Finish(void* stream) {
  const Lock lock(TheDriver().mutex);
  std::deque<std::function<void()>>& work = StreamAt(stream).work;
  for (; !work.empty(); work.pop_front()) work.front()();
}

void FailNext(const std::string& function, int calls, int skipped) {
  Driver& driver = TheDriver();
  const Lock lock(driver.mutex);
  driver.failing = function;
  driver.failures = calls;
  driver.skipped = skipped;
}

bool IsToFail() {
  const Lock lock(TheDriver().mutex);
  return TheDriver().failures > 0;
}

std::size_t CountPinned() {
  const Lock lock(TheDriver().mutex);
  return TheDriver().pinned.size();
}

std::size_t CountEvents() {
  const Lock lock(TheDriver().mutex);
  return TheDriver().events;
}

std::size_t CountContexts() { return current.size(); }

}  // namespace fake_cuda

// The driver's own functions.
#pragma GCC visibility push(default)
extern "C" {

int cuGetErrorString(int error, const char** text) {
  *text = error == kFailure ? "failed on purpose" : "not allowed by the stand-in";
  return kSuccess;
}

int cuStreamGetCtx(void* stream, void** context) {
  if (Fails("cuStreamGetCtx")) return kFailure;
  *context = ContextOf(StreamAt(stream));
  return kSuccess;
}

int cuCtxPushCurrent_v2(void* context) {
  if (Fails("cuCtxPushCurrent")) return kFailure;
  current.push_back(context);
  return kSuccess;
}

int cuCtxPopCurrent_v2(void** context) {
  if (current.empty()) return kInvalidContext;
  *context = current.back();
  current.pop_back();
  return kSuccess;
}

int cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned) {
  if (Fails("cuMemHostRegister")) return kFailure;
  if (current.empty()) return kInvalidContext;
  const Lock lock(TheDriver().mutex);
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return TheDriver().pinned.emplace(address, bytes).second ? kSuccess : kInvalidValue;
}

int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* stream) {
  if (Fails("cuMemcpyDtoHAsync")) return kFailure;
  if (!IsPinned(to, bytes) || !IsOnDevice(from)) return kInvalidValue;
  return Copy(to, MemoryAt(from), bytes, stream);
}

int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void* stream) {
  if (Fails("cuMemcpyHtoDAsync")) return kFailure;
  if (!IsPinned(from, bytes) || !IsOnDevice(to)) return kInvalidValue;
  return Copy(MemoryAt(to), from, bytes, stream);
}

int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) {
  if (Fails("cuMemcpyDtoDAsync")) return kFailure;
  if (!IsOnDevice(to) || !IsOnDevice(from)) return kInvalidValue;
  return Copy(MemoryAt(to), MemoryAt(from), bytes, stream);
}

int cuStreamSynchronize(void* stream) {
  if (Fails("cuStreamSynchronize")) return kFailure;
  if (!IsCurrent(stream)) return kInvalidContext;
  fake_cuda::Finish(stream);
  return kSuccess;
}

int cuEventCreate(void** event, unsigned) {
  if (Fails("cuEventCreate")) return kFailure;
  if (current.empty()) return kInvalidContext;
  const Lock lock(TheDriver().mutex);
  ++TheDriver().events;
  *event = new Event;
  return kSuccess;
}

int cuEventDestroy_v2(void* event) {
  const Lock lock(TheDriver().mutex);
  --TheDriver().events;
  delete static_cast<Event*>(event);
  return kSuccess;
}

int cuEventRecord(void* event, void* stream) {
  if (Fails("cuEventRecord")) return kFailure;
  if (!IsCurrent(stream)) return kInvalidContext;
  const Lock lock(TheDriver().mutex);
  auto* recorded = static_cast<Event*>(event);
  ++recorded->pending;
  StreamAt(stream).work.push_back([recorded] { --recorded->pending; });
  return kSuccess;
}

int cuEventQuery(void* event) {
  if (Fails("cuEventQuery")) return kFailure;
  const Lock lock(TheDriver().mutex);
  return static_cast<Event*>(event)->pending == 0 ? kSuccess : kNotReady;
}

}  // extern "C"
#pragma GCC visibility pop
