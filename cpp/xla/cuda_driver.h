// CudaDriver: what is needed of NVIDIA's driver to copy to a GPU's memory and back.
//
// Its library belongs to the machine, and is loaded when a program on a GPU first calls a pool. The
// types and signatures below are those of the driver's C interface, so that no build needs CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace envpool::xla {

using CudaContext = void*;
using CudaStream = void*;
using CudaEvent = void*;
using DeviceAddress = std::uint64_t;
using CudaResult = int;

template <class... Arguments>
struct CudaFunction {
  std::string name;
  const char* version = "";  // what the library appends to the name
  CudaResult (*address)(Arguments...) = nullptr;
};

class CudaDriver {
 public:
  // Throws std::runtime_error if there is no such library or it lacks a function.
  explicit CudaDriver(const std::string& path);
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;

  // The machine's. Throws if there is none.
  static const CudaDriver& Get();

  // Calls a function. Throws std::runtime_error, with the driver's own words, if that reports an
  // error.
  template <class... Arguments>
  void Call(const CudaFunction<Arguments...>& function,
            std::type_identity_t<Arguments>... arguments) const {
    Check(function.address(arguments...), function.name);
  }

  // An event is over when the stream has done what it was given before the event was recorded, and
  // also if it was never recorded.
  bool IsOver(CudaEvent event) const;

  CudaFunction<CudaStream, CudaContext*> get_context{"cuStreamGetCtx"};
  CudaFunction<CudaContext> push_context{"cuCtxPushCurrent", "_v2"};
  CudaFunction<CudaContext*> pop_context{"cuCtxPopCurrent", "_v2"};
  // Lets the GPU read and write the host's memory while the processor goes on.
  CudaFunction<void*, std::size_t, unsigned> pin{"cuMemHostRegister", "_v2"};
  // Copies begin when the stream has done what it was given before, and do not wait.
  CudaFunction<void*, DeviceAddress, std::size_t, CudaStream> copy_to_host{"cuMemcpyDtoHAsync",
                                                                           "_v2"};
  CudaFunction<DeviceAddress, const void*, std::size_t, CudaStream> copy_to_device{
      "cuMemcpyHtoDAsync", "_v2"};
  CudaFunction<DeviceAddress, DeviceAddress, std::size_t, CudaStream> copy_on_device{
      "cuMemcpyDtoDAsync", "_v2"};
  // Waits until the stream has done all that it was given.
  CudaFunction<CudaStream> synchronize{"cuStreamSynchronize"};
  CudaFunction<CudaEvent*, unsigned> make_event{"cuEventCreate"};
  CudaFunction<CudaEvent> destroy_event{"cuEventDestroy", "_v2"};
  CudaFunction<CudaEvent, CudaStream> record{"cuEventRecord"};

 private:
  void Check(CudaResult result, const std::string& function) const;

  CudaFunction<CudaResult, const char**> get_error_string_{"cuGetErrorString"};
  CudaFunction<CudaEvent> query_event_{"cuEventQuery"};
};

}  // namespace envpool::xla
