#include "machine.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <limits>
#include <unordered_map>
#include <vector>

namespace {

using Time = std::int64_t;  // picoseconds
constexpr Time kNever = std::numeric_limits<Time>::max();
constexpr Time kNs = 1000;

// What things take. The first two make a step of CartPole take 23 ns on one core, as it does. The
// others are of the order of what processors of servers need; no result should depend on a factor
// of two in them.
constexpr Time kHit = 130;             // an access to what is in the core's own cache
constexpr Time kCall = 200;            // a function's call
constexpr Time kLoadMiss = 60 * kNs;   // until another core's line is here
constexpr Time kStoreMiss = 20 * kNs;  // the core goes on meanwhile
constexpr Time kAtomic = 5 * kNs;
constexpr Time kPause = 20 * kNs;
constexpr Time kClock = 20 * kNs;
constexpr Time kWake = 1500 * kNs;     // for who wakes a thread
constexpr Time kAwaken = 5000 * kNs;   // until that thread runs
constexpr Time kStart = 10'000 * kNs;  // of a thread
// For so long a thread may be ahead of the others before it waits for them.
constexpr Time kAhead = 15 * kNs;
constexpr int kCores = 16;

struct Thread {
  int core = 0;
  Time now = 0;
  bool is_blocked = false;
  bool has_ended = false;
  bool is_late = false;    // the last wait ended by its deadline
  Time deadline = kNever;  // of what it is blocked by
  const void* waits_for = nullptr;
  std::atomic<int> baton = 0;  // 1: it may run
  pthread_t handle = {};
  void* (*body)(void*) = nullptr;
  void* argument = nullptr;
};

// A line of memory, and who has it.
struct Line {
  std::uint64_t readers = 0;  // a bit for each core
  int writer = -1;            // the core that may write to it
  Time free = 0;              // before that it is on its way to another core
};

struct Mutex {
  bool is_locked = false;
  std::deque<Thread*> waiters;
};

// Only the thread that has the baton touches any of this.
struct Machine {
  std::vector<Thread*> threads;
  std::unordered_map<std::uintptr_t, Line> lines;
  std::unordered_map<const void*, Mutex> mutexes;
  std::unordered_map<const void*, std::vector<Thread*>> conditions;
  SimulatedTransfers transfers = {};
  Time limit = kNever;  // until then the running thread need not look at the others
  bool is_on = false;
};
Machine* machine = nullptr;  // before the simulation; then one that outlives main
thread_local Thread* self = nullptr;

bool IsSimulated() { return machine != nullptr && machine->is_on && self != nullptr; }

template <class Function>
Function* RealFunction(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void AwaitBaton() {
  while (self->baton.load() == 0) {
    syscall(SYS_futex, &self->baton, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  }
  self->baton.store(0);
}

void PassBaton(Thread& thread) {
  thread.baton.store(1);
  syscall(SYS_futex, &thread.baton, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

// When a thread can go on.
Time Due(const Thread* thread) {
  if (thread->has_ended) return kNever;
  return thread->is_blocked ? thread->deadline : thread->now;
}

void SetLimit(Time due) {
  machine->limit = std::min(machine->limit, due == kNever ? kNever : due + kAhead);
}

// Lets the thread run that is due first.
void Switch() {
  Thread* const first = *std::ranges::min_element(machine->threads, {}, Due);
  if (Due(first) == kNever) {
    std::fprintf(stderr, "all simulated threads wait for each other\n");
    std::abort();
  }
  if (first->is_blocked) {
    first->now = first->deadline;
    first->is_blocked = false;
    first->is_late = true;
  }
  machine->limit = kNever;
  for (const Thread* thread : machine->threads) {
    if (thread != first) SetLimit(Due(thread));
  }
  if (first == self) return;
  PassBaton(*first);
  if (!self->has_ended) AwaitBaton();
}

void Spend(Time time) {
  self->now += time;
  if (self->now > machine->limit) Switch();
}

void Block(const void* waits_for, Time deadline) {
  self->is_blocked = true;
  self->is_late = false;
  self->deadline = deadline;
  self->waits_for = waits_for;
  Switch();
}

void Wake(Thread& thread) {
  Spend(kWake);
  if (!thread.is_blocked) return;
  thread.is_blocked = false;
  thread.now = std::max(thread.now, self->now + kAwaken);
  SetLimit(thread.now);
}

enum class Access { kLoad, kStore, kAtomic };

long& CountOf(Access access) {
  if (access == Access::kLoad) return machine->transfers.loads;
  return access == Access::kStore ? machine->transfers.stores : machine->transfers.atomics;
}

void Touch(const volatile void* address, Access access) {
  if (!IsSimulated()) return;
  Line& line = machine->lines[reinterpret_cast<std::uintptr_t>(address) / 64];
  const std::uint64_t reader = std::uint64_t{1} << self->core;
  const bool is_load = access == Access::kLoad;
  Time time = access == Access::kAtomic ? kAtomic : kHit;
  if (is_load ? (line.readers & reader) == 0 : line.writer != self->core) {
    if (line.readers != 0) ++CountOf(access);
    const Time miss = access == Access::kStore ? kStoreMiss : kLoadMiss;
    const Time begin = std::max(line.free, self->now);
    line.free = begin + miss;
    time += line.free - self->now;
    line.readers = is_load ? line.readers | reader : reader;
    line.writer = is_load ? -1 : self->core;
  }
  Spend(time);
}

void TouchAll(const void* address, std::size_t size, Access access) {
  const char* const bytes = static_cast<const char*>(address);
  for (std::size_t i = 0; i < size; i += 64) Touch(bytes + i, access);
}

void Lock(const void* address) {
  Touch(address, Access::kAtomic);
  while (machine->mutexes[address].is_locked) {
    machine->mutexes[address].waiters.push_back(self);
    Block(address, kNever);
  }
  machine->mutexes[address].is_locked = true;
}

void Unlock(const void* address) {
  Touch(address, Access::kAtomic);
  Mutex& mutex = machine->mutexes[address];
  mutex.is_locked = false;
  if (mutex.waiters.empty()) return;
  Thread* const next = mutex.waiters.front();
  mutex.waiters.pop_front();
  Wake(*next);
}

int WaitFor(const void* condition, const void* mutex, Time deadline) {
  machine->conditions[condition].push_back(self);
  Unlock(mutex);
  Block(condition, deadline);
  const bool is_late = self->is_late;
  std::erase(machine->conditions[condition], self);
  Lock(mutex);
  return is_late ? ETIMEDOUT : 0;
}

void Notify(const void* condition, std::size_t most) {
  if (!IsSimulated()) return;
  for (Thread* thread : std::vector(machine->conditions[condition])) {
    if (!thread->is_blocked || most == 0) continue;
    Wake(*thread);
    --most;
  }
}

Time ToTime(const timespec* time) {
  return (Time{time->tv_sec} * 1'000'000'000 + time->tv_nsec) * kNs;
}

void* RunThread(void* argument) {
  self = static_cast<Thread*>(argument);
  AwaitBaton();
  void* const result = self->body(self->argument);
  self->has_ended = true;
  for (Thread* thread : machine->threads) {
    if (thread->is_blocked && thread->waits_for == self) Wake(*thread);
  }
  Switch();
  return result;
}

}  // namespace

extern "C" {

void StartSimulation() {
  machine = new Machine;
  self = new Thread;
  machine->threads.push_back(self);
  machine->is_on = true;
}
void PauseSimulation() { machine->is_on = false; }
void ResumeSimulation() { machine->is_on = true; }
void SpendSimulatedTime(double ns) { Spend(static_cast<Time>(ns * kNs)); }
double SimulatedTime() { return static_cast<double>(self->now) / kNs; }
SimulatedTransfers CountTransfers() { return machine->transfers; }
void SimulatedPause(void) {
  if (IsSimulated()) Spend(kPause);
}

// The system's functions, for simulated threads.

int get_nprocs() { return kCores; }

int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) {
  static auto* const real = RealFunction<decltype(pthread_create)>("pthread_create");
  if (!IsSimulated()) return real(handle, attributes, body, argument);
  Spend(kStart);
  auto* const thread = new Thread;
  thread->core = static_cast<int>(machine->threads.size()) % 64;
  thread->now = self->now;
  thread->body = body;
  thread->argument = argument;
  if (const int error = real(&thread->handle, attributes, RunThread, thread)) return error;
  *handle = thread->handle;
  machine->threads.push_back(thread);
  SetLimit(thread->now);
  return 0;
}

int pthread_join(pthread_t handle, void** result) {
  static auto* const real = RealFunction<decltype(pthread_join)>("pthread_join");
  if (IsSimulated()) {
    for (Thread* thread : std::vector(machine->threads)) {
      const bool is_joined = thread->body != nullptr && pthread_equal(thread->handle, handle);
      while (is_joined && !thread->has_ended) Block(thread, kNever);
    }
  }
  return real(handle, result);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static auto* const real = RealFunction<decltype(pthread_mutex_lock)>("pthread_mutex_lock");
  if (!IsSimulated()) return real(mutex);
  Lock(mutex);
  return 0;
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  static auto* const real = RealFunction<decltype(pthread_mutex_unlock)>("pthread_mutex_unlock");
  if (!IsSimulated()) return real(mutex);
  Unlock(mutex);
  return 0;
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return WaitFor(condition, mutex, kNever);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t,
                           const timespec* deadline) {
  return WaitFor(condition, mutex, ToTime(deadline));
}

int pthread_cond_signal(pthread_cond_t* condition) {
  Notify(condition, 1);
  return 0;
}

int pthread_cond_broadcast(pthread_cond_t* condition) {
  Notify(condition, machine->threads.size());
  return 0;
}

int clock_gettime(clockid_t clock, timespec* time) {
  static auto* const real = RealFunction<decltype(clock_gettime)>("clock_gettime");
  if (!IsSimulated()) return real(clock, time);
  Spend(kClock);
  time->tv_sec = self->now / kNs / 1'000'000'000;
  time->tv_nsec = self->now / kNs % 1'000'000'000;
  return 0;
}

// What the compiler calls before accesses to memory, and instead of atomic ones.

void __tsan_init() {}
void __tsan_func_entry(void*) {
  if (IsSimulated()) Spend(kCall);
}
void __tsan_func_exit() {}
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}
void __tsan_vptr_read(void* address) { Touch(address, Access::kLoad); }
void __tsan_vptr_update(void* address, void*) { Touch(address, Access::kStore); }
void __tsan_read_range(void* address, std::size_t size) { TouchAll(address, size, Access::kLoad); }
void __tsan_write_range(void* address, std::size_t size) {
  TouchAll(address, size, Access::kStore);
}

#define PLAIN_ACCESSES(bytes)                                                           \
  void __tsan_read##bytes(void* address) { Touch(address, Access::kLoad); }             \
  void __tsan_write##bytes(void* address) { Touch(address, Access::kStore); }           \
  void __tsan_unaligned_read##bytes(void* address) { Touch(address, Access::kLoad); }   \
  void __tsan_unaligned_write##bytes(void* address) { Touch(address, Access::kStore); } \
  void __tsan_volatile_read##bytes(void* address) { Touch(address, Access::kLoad); }    \
  void __tsan_volatile_write##bytes(void* address) { Touch(address, Access::kStore); }
PLAIN_ACCESSES(1)
PLAIN_ACCESSES(2)
PLAIN_ACCESSES(4)
PLAIN_ACCESSES(8)
PLAIN_ACCESSES(16)

// One thread runs at a time, so plain operations are atomic.
#define UPDATE(type, bits, name, result)                                       \
  type __tsan_atomic##bits##_##name(volatile type* address, type value, int) { \
    Touch(address, Access::kAtomic);                                           \
    const type old = *address;                                                 \
    *address = static_cast<type>(result);                                      \
    return old;                                                                \
  }
#define ATOMIC_ACCESSES(type, bits)                                                         \
  type __tsan_atomic##bits##_load(const volatile type* address, int) {                      \
    Touch(address, Access::kLoad);                                                          \
    return *address;                                                                        \
  }                                                                                         \
  void __tsan_atomic##bits##_store(volatile type* address, type value, int) {               \
    Touch(address, Access::kAtomic);                                                        \
    *address = value;                                                                       \
  }                                                                                         \
  UPDATE(type, bits, exchange, value)                                                       \
  UPDATE(type, bits, fetch_add, old + value)                                                \
  UPDATE(type, bits, fetch_sub, old - value)                                                \
  UPDATE(type, bits, fetch_or, old | value)                                                 \
  UPDATE(type, bits, fetch_and, old& value)                                                 \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* address, type* expected, \
                                                    type value, int, int) {                 \
    Touch(address, Access::kAtomic);                                                        \
    if (*address != *expected) {                                                            \
      *expected = *address;                                                                 \
      return 0;                                                                             \
    }                                                                                       \
    *address = value;                                                                       \
    return 1;                                                                               \
  }                                                                                         \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* address, type* expected,   \
                                                  type value, int, int) {                   \
    return __tsan_atomic##bits##_compare_exchange_strong(address, expected, value, 0, 0);   \
  }
ATOMIC_ACCESSES(std::uint8_t, 8)
ATOMIC_ACCESSES(std::uint16_t, 16)
ATOMIC_ACCESSES(std::uint32_t, 32)
ATOMIC_ACCESSES(std::uint64_t, 64)

}  // extern "C"
