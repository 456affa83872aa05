// Counts the allocations of a test program, of which one source includes this.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace envpool {
inline std::atomic<std::int64_t> allocations = 0;

inline void* CountedAllocation(std::size_t size, std::size_t alignment) {
  allocations.fetch_add(1);
  void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// How many there are in so many loops, after the same number for warming up.
template <class Loop>
std::int64_t CountAllocations(int loops, Loop loop) {
  for (int i = 0; i < loops; ++i) loop();
  const std::int64_t before = allocations.load();
  for (int i = 0; i < loops; ++i) loop();
  return allocations.load() - before;
}

}  // namespace envpool

void* operator new(std::size_t size) {
  return envpool::CountedAllocation(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return envpool::CountedAllocation(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return operator new(size, alignment);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
