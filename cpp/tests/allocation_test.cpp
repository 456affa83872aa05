// After a warm-up, the executor allocates nothing.
#include <atomic>
#include <cstdlib>
#include <new>

#include "pool_fixture.h"

namespace {
std::atomic<std::int64_t> allocations = 0;

void* CountedAllocation(std::size_t size, std::size_t alignment) {
  allocations.fetch_add(1);
  void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

void* operator new(std::size_t size) { return CountedAllocation(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return CountedAllocation(size, static_cast<std::size_t>(alignment));
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

namespace envpool {
namespace {

TEST(Allocations, AreCounted) {
  const std::int64_t before = allocations.load();
  const auto number = std::make_unique<int>(1);
  EXPECT_EQ(allocations.load(), before + 1);
}

// Auto-resets are part of it: CartPole's episodes last some twenty steps.
TEST(Allocations, NoneInASynchronousLoop) {
  const EnvType& type = FindType(CLASSIC_CONTROL_LIBRARY, "CartPole");
  Pool pool(type, MakeConfig(type, 256, 256, 3));
  const Actions actions(256, 1);
  const auto step = [&] { pool.Step(pool.AllIds(), actions.View(), NeverInterrupted); };
  for (int i = 0; i < 100; ++i) step();
  const std::int64_t before = allocations.load();
  for (int i = 0; i < 1000; ++i) step();
  EXPECT_EQ(allocations.load() - before, 0);
}

TEST(Allocations, NoneInAnAsynchronousLoop) {
  const EnvType& type = FindType(CLASSIC_CONTROL_LIBRARY, "CartPole");
  Pool pool(type, MakeConfig(type, 64, 16, 2));
  const Actions actions(16, 0);
  pool.SendReset({.env_ids = pool.AllIds()});
  const auto loop = [&] {
    const Delivery delivery = Receive(pool);
    const auto ids = pool.GetLayout().env_id.At<std::int32_t>(delivery.block.get(), 0, 16);
    pool.Send(ids, actions.View());
  };
  for (int i = 0; i < 100; ++i) loop();
  const std::int64_t before = allocations.load();
  for (int i = 0; i < 5000; ++i) loop();
  EXPECT_EQ(allocations.load() - before, 0);
}

}  // namespace
}  // namespace envpool
