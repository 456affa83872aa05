#include "executor/visits.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace envpool {

Visits::Visits(const Config& config, std::function<void(std::size_t)> visit,
               const std::atomic<int>& closing)
    : config_(config), visit_(std::move(visit)), closing_(closing) {}

Visits::~Visits() {
  cancelled_.store(true);
  for (std::thread& thread : threads_) thread.join();
}

bool Visits::Run(Interrupt interrupt) {
  constexpr auto kNever = Clock::time_point::max();
  const bool has_threads = std::min(config_.most_threads, config_.count) > 1;
  VisitHere(has_threads ? Clock::now() + config_.alone : kNever, interrupt);
  if (next_.load() < config_.count) StartThreads();
  const auto done = [this] { return ended_.load() == threads_.size(); };
  if (threads_.empty()) VisitHere(kNever, interrupt);
  while (!ended_gate_.WaitFor(kInterruptPeriod, done)) interrupt();
  if (failure_) std::rethrow_exception(failure_);
  return next_.load() >= config_.count;
}

void Visits::VisitHere(Clock::time_point end, Interrupt interrupt) {
  auto now = Clock::now();
  auto last_interrupt = now;
  while (now < end && VisitNext()) {
    now = Clock::now();
    if (now - last_interrupt < kInterruptPeriod) continue;
    interrupt();
    last_interrupt = Clock::now();
  }
}

// As many as the system has to give, perhaps none.
void Visits::StartThreads() {
  const std::size_t count = std::min(config_.most_threads, config_.count - next_.load());
  if (count < 2) return;
  threads_.reserve(count);
  try {
    while (threads_.size() < count) {
      threads_.emplace_back([this] {
        while (VisitNext()) {
        }
        ended_.fetch_add(1);
        ended_gate_.NotifyAll();
      });
    }
  } catch (const std::system_error&) {
  }
}

// Returns false if there is nothing to do any more.
bool Visits::VisitNext() noexcept {
  if (cancelled_.load() || closing_.load() > 0) return false;
  const std::size_t index = next_.fetch_add(1);
  if (index >= config_.count) return false;
  try {
    visit_(index);
  } catch (...) {
    Fail(index, std::current_exception());
  }
  return true;
}

void Visits::Fail(std::size_t index, std::exception_ptr error) noexcept {
  cancelled_.store(true);
  const std::lock_guard lock(failure_mutex_);
  if (failure_ && failed_ < index) return;
  failed_ = index;
  failure_ = std::move(error);
}

}  // namespace envpool
