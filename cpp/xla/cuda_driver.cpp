#include "xla/cuda_driver.h"

#include <dlfcn.h>

#include <stdexcept>

namespace envpool::xla {

namespace {

constexpr CudaResult kSuccess = 0;
constexpr CudaResult kNotReady = 600;

void* OpenDriver(const std::string& path) {
  if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  throw std::runtime_error(
      std::string("programs on a GPU need NVIDIA's driver, which does not load: ") + dlerror());
}

}  // namespace

CudaDriver::CudaDriver(const std::string& path) {
  void* const library = OpenDriver(path);
  const auto load = [&]<class... Arguments>(CudaFunction<Arguments...>& function) {
    const std::string name = function.name + function.version;
    function.address = reinterpret_cast<decltype(function.address)>(dlsym(library, name.c_str()));
    if (function.address != nullptr) return;
    throw std::runtime_error("NVIDIA's driver (" + path + ") has no function " + name +
                             ": it is older than CUDA 10, update it");
  };
  const auto load_all = [&](auto&... functions) { (load(functions), ...); };
  load_all(get_error_string_, get_context, push_context, pop_context, pin, copy_to_host,
           copy_to_device, copy_on_device, synchronize, make_event, destroy_event, record,
           query_event_);
}

const CudaDriver& CudaDriver::Get() {
  // Not destroyed: programs may still run while the process ends.
  static const CudaDriver& driver = *new CudaDriver("libcuda.so.1");
  return driver;
}

void CudaDriver::Check(CudaResult result, const std::string& function) const {
  if (result == kSuccess) return;
  const char* text = nullptr;
  if (get_error_string_.address(result, &text) != kSuccess || text == nullptr) {
    text = "unknown error";
  }
  throw std::runtime_error("the GPU's driver failed in " + function + ": " + text + " (" +
                           std::to_string(result) + ")");
}

bool CudaDriver::IsOver(CudaEvent event) const {
  const CudaResult result = query_event_.address(event);
  if (result == kNotReady) return false;
  Check(result, query_event_.name);
  return true;
}

}  // namespace envpool::xla
