#include "xla/cuda_driver.h"

#include <dlfcn.h>

#include <stdexcept>

namespace envpool::xla {

namespace {

constexpr int kSuccess = 0;
constexpr int kNotReady = 600;
constexpr unsigned kPinnedForAllContexts = 1;
constexpr unsigned kEventWithoutTime = 2;

void* OpenDriver(const std::string& path) {
  if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  throw std::runtime_error(
      std::string("programs on a GPU need NVIDIA's driver, which does not load: ") + dlerror());
}

template <class Function>
void Load(void* library, const std::string& path, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) {
    throw std::runtime_error("NVIDIA's driver (" + path + ") has no function " + name +
                             ": it is older than CUDA 10, update it");
  }
}

}  // namespace

CudaDriver::CudaDriver(const std::string& path) {
  void* const library = OpenDriver(path);
  Load(library, path, "cuGetErrorString", get_error_string_);
  Load(library, path, "cuStreamGetCtx", stream_get_context_);
  Load(library, path, "cuCtxPushCurrent_v2", push_context_);
  Load(library, path, "cuCtxPopCurrent_v2", pop_context_);
  Load(library, path, "cuMemHostRegister_v2", host_register_);
  Load(library, path, "cuMemcpyDtoHAsync_v2", copy_to_host_);
  Load(library, path, "cuMemcpyHtoDAsync_v2", copy_to_device_);
  Load(library, path, "cuMemcpyDtoDAsync_v2", copy_on_device_);
  Load(library, path, "cuStreamSynchronize", stream_synchronize_);
  Load(library, path, "cuEventCreate", event_create_);
  Load(library, path, "cuEventDestroy_v2", event_destroy_);
  Load(library, path, "cuEventRecord", event_record_);
  Load(library, path, "cuEventQuery", event_query_);
}

const CudaDriver& CudaDriver::Get() {
  // Not destroyed: programs may still run while the process ends.
  static const CudaDriver& driver = *new CudaDriver("libcuda.so.1");
  return driver;
}

void CudaDriver::Check(Result result, const char* function) const {
  if (result == kSuccess) return;
  const char* text = nullptr;
  if (get_error_string_(result, &text) != kSuccess || text == nullptr) text = "unknown error";
  throw std::runtime_error(std::string("the GPU's driver failed in ") + function + ": " + text +
                           " (" + std::to_string(result) + ")");
}

CudaContext CudaDriver::ContextOf(CudaStream stream) const {
  CudaContext context = nullptr;
  Check(stream_get_context_(stream, &context), "cuStreamGetCtx");
  return context;
}

void CudaDriver::PushContext(CudaContext context) const {
  Check(push_context_(context), "cuCtxPushCurrent");
}

void CudaDriver::PopContext() const noexcept {
  CudaContext context = nullptr;
  pop_context_(&context);
}

void CudaDriver::Pin(void* memory, std::size_t bytes) const {
  Check(host_register_(memory, bytes, kPinnedForAllContexts), "cuMemHostRegister");
}

void CudaDriver::CopyToHost(void* to, DeviceAddress from, std::size_t bytes,
                            CudaStream stream) const {
  Check(copy_to_host_(to, from, bytes, stream), "cuMemcpyDtoHAsync");
}

void CudaDriver::CopyToDevice(DeviceAddress to, const void* from, std::size_t bytes,
                              CudaStream stream) const {
  Check(copy_to_device_(to, from, bytes, stream), "cuMemcpyHtoDAsync");
}

void CudaDriver::CopyOnDevice(DeviceAddress to, DeviceAddress from, std::size_t bytes,
                              CudaStream stream) const {
  Check(copy_on_device_(to, from, bytes, stream), "cuMemcpyDtoDAsync");
}

void CudaDriver::Synchronize(CudaStream stream) const {
  Check(stream_synchronize_(stream), "cuStreamSynchronize");
}

CudaEvent CudaDriver::MakeEvent() const {
  CudaEvent event = nullptr;
  Check(event_create_(&event, kEventWithoutTime), "cuEventCreate");
  return event;
}

void CudaDriver::DestroyEvent(CudaEvent event) const noexcept { event_destroy_(event); }

void CudaDriver::Record(CudaEvent event, CudaStream stream) const {
  Check(event_record_(event, stream), "cuEventRecord");
}

bool CudaDriver::IsOver(CudaEvent event) const {
  const Result result = event_query_(event);
  if (result == kNotReady) return false;
  Check(result, "cuEventQuery");
  return true;
}

}  // namespace envpool::xla
