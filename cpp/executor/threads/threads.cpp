#include "executor/threads/threads.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "envpool/fork_local.h"

namespace envpool {

namespace {

// A child has none of its parent's.
constinit ForkLocal<std::atomic<int>> running;

// Some pages, which it gives back to the system.
class Pages {
 public:
  explicit Pages(std::size_t bytes)
      : bytes_(bytes),
        data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (data_ != MAP_FAILED) return;
    // As if there were none for the thread's stack.
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { munmap(data_, bytes_); }

 private:
  const std::size_t bytes_;
  void* const data_;
};

// What a new thread is given.
struct Start {
  explicit Start(std::function<void()> its_body) : body(std::move(its_body)) {}

  std::function<void()> body;
  // The memory for what it reserves: its first allocations are of whole pages.
  std::unique_ptr<Pages> pages = std::make_unique<Pages>(1U << 17U);
  std::latch has_reserved{1};
};

}  // namespace

void ReserveForExceptions() {
  // Or the compiler, which knows that the question changes nothing, would not ask.
  [[maybe_unused]] const volatile int count = std::uncaught_exceptions();
}

std::thread StartThread(std::function<void()> body) {
  const auto start = std::make_shared<Start>(std::move(body));
  std::atomic<int>& count = running.Get();
  count.fetch_add(1);
  try {
    std::thread thread([start, &count] {
      start->pages.reset();
      ReserveForExceptions();
      start->has_reserved.count_down();
      start->body();
      start->body = nullptr;  // what it owns ends within the count
      count.fetch_sub(1);
    });
    start->has_reserved.wait();  // or the next one could be made of this one's pages
    return thread;
  } catch (...) {
    count.fetch_sub(1);
    throw;
  }
}

void StartThreads(std::vector<std::thread>& threads, std::size_t count, Attendance& attendance,
                  const std::function<void(std::size_t)>& body) {
  threads.reserve(count);
  while (threads.size() < count) {
    attendance.Enter();
    try {
      threads.push_back(StartThread([&attendance, body, index = threads.size()] {
        body(index);
        attendance.Leave();
      }));
    } catch (const std::system_error& error) {
      attendance.Leave();  // the one that could not be started
      throw std::runtime_error("num_threads is " + std::to_string(count) + ", but only " +
                               std::to_string(threads.size()) + " threads could be started (" +
                               error.what() + "): lower num_threads");
    } catch (...) {
      attendance.Leave();
      throw;
    }
  }
}

void PinThisThread([[maybe_unused]] std::size_t core) {
#if defined(__linux__)
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core % std::max(std::thread::hardware_concurrency(), 1U), &cores);
  pthread_setaffinity_np(pthread_self(), sizeof(cores), &cores);
#endif
}

int RunningThreads() { return running.Get().load(); }

}  // namespace envpool
