// A stand-in for NVIDIA's driver, built as libcuda.so.1, that has what CudaDriver loads.
//
// It is as slow as a driver may be: copies are made and events are over only when somebody waits
// for the stream. It refuses what is no pinned memory, and no context of the right stream. Device
// addresses cannot be accessed.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace fake_cuda {

// The address by which a GPU knows this memory, which stands for its own.
[[gnu::visibility("default")]] void* OnDevice(void* memory);

// Streams of the same context have the same number. They live as long as the process.
[[gnu::visibility("default")]] void* MakeStream(int context);

// Gives it some work of a program's.
[[gnu::visibility("default")]] void Enqueue(void* stream, std::function<void()> work);

// Does what the stream was given. Copies read and write at this time.
[[gnu::visibility("default")]] void Finish(void* stream);

// So many of the next calls of this function fail, after `skipped` that do not.
[[gnu::visibility("default")]] void FailNext(const std::string& function, int calls = 1,
                                             int skipped = 0);

// Failures that were asked for and have not been.
[[gnu::visibility("default")]] bool IsToFail();

[[gnu::visibility("default")]] std::size_t CountPinned();
[[gnu::visibility("default")]] std::size_t CountEvents();
// Of this thread.
[[gnu::visibility("default")]] std::size_t CountContexts();

}  // namespace fake_cuda
