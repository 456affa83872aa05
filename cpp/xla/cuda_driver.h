// CudaDriver: what is needed of NVIDIA's driver to copy to a GPU's memory and back.
//
// Its library belongs to the machine, and is loaded when a program on a GPU first calls a pool. The
// types and signatures below are those of the driver's C interface, so that no build needs CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace envpool::xla {

using CudaContext = void*;
using CudaStream = void*;
using CudaEvent = void*;
using DeviceAddress = std::uint64_t;

// All functions throw std::runtime_error, with the driver's own words, when it reports an error.
class CudaDriver {
 public:
  explicit CudaDriver(const std::string& path);
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;

  // The machine's. Throws if there is none.
  static const CudaDriver& Get();

  CudaContext ContextOf(CudaStream stream) const;
  void PushContext(CudaContext context) const;
  void PopContext() const noexcept;

  // Lets the GPU read and write the host's memory while the processor goes on.
  void Pin(void* memory, std::size_t bytes) const;

  // These begin when the stream has done what it was given before, and do not wait.
  void CopyToHost(void* to, DeviceAddress from, std::size_t bytes, CudaStream stream) const;
  void CopyToDevice(DeviceAddress to, const void* from, std::size_t bytes, CudaStream stream) const;
  void CopyOnDevice(DeviceAddress to, DeviceAddress from, std::size_t bytes,
                    CudaStream stream) const;

  // Waits until the stream has done all that it was given.
  void Synchronize(CudaStream stream) const;

  // An event is over when the stream has done what it was given before the event was recorded, and
  // also if it was never recorded.
  CudaEvent MakeEvent() const;
  void DestroyEvent(CudaEvent event) const noexcept;
  void Record(CudaEvent event, CudaStream stream) const;
  bool IsOver(CudaEvent event) const;

 private:
  using Result = int;

  void Check(Result result, const char* function) const;

  Result (*get_error_string_)(Result, const char**);
  Result (*stream_get_context_)(CudaStream, CudaContext*);
  Result (*push_context_)(CudaContext);
  Result (*pop_context_)(CudaContext*);
  Result (*host_register_)(void*, std::size_t, unsigned);
  Result (*copy_to_host_)(void*, DeviceAddress, std::size_t, CudaStream);
  Result (*copy_to_device_)(DeviceAddress, const void*, std::size_t, CudaStream);
  Result (*copy_on_device_)(DeviceAddress, DeviceAddress, std::size_t, CudaStream);
  Result (*stream_synchronize_)(CudaStream);
  Result (*event_create_)(CudaEvent*, unsigned);
  Result (*event_destroy_)(CudaEvent);
  Result (*event_record_)(CudaEvent, CudaStream);
  Result (*event_query_)(CudaEvent);
};

}  // namespace envpool::xla
