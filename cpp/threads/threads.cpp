#include "threads/threads.h"

#include <atomic>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "envpool/fork_local.h"

namespace envpool {

namespace {

// A child has none of its parent's.
constinit ForkLocal<std::atomic<int>> running;

}  // namespace

void ReserveForExceptions() {
  // Or the compiler, which knows that the question changes nothing, would not ask.
  [[maybe_unused]] const volatile int count = std::uncaught_exceptions();
}

std::thread StartThread(std::function<void()> body) {
  std::atomic<int>& count = running.Get();
  count.fetch_add(1);
  try {
    return std::thread([body = std::move(body), &count]() mutable {
      ReserveForExceptions();
      body();
      body = nullptr;  // what it owns ends within the count
      count.fetch_sub(1);
    });
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

int RunningThreads() { return running.Get().load(); }

}  // namespace envpool
