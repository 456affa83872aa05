#include "threads/visits.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

#include "threads/gate.h"
#include "threads/threads.h"

namespace envpool {

namespace {

// How long a caller that was interrupted waits for visits that were begun: if they are short, all
// is as it should be when it leaves.
constexpr Duration kPatience = std::chrono::milliseconds(100);

}  // namespace

// What the threads and the caller share, and the threads still have when the caller has left.
class Visits::Job {
 public:
  Job(std::size_t count, std::function<void(std::size_t)> visit, const std::atomic<int>& closing)
      : count_(count), visit_(std::move(visit)), closing_(closing) {}

  std::size_t Remaining() const { return count_ - std::min(count_, next_.load()); }
  Duration Longest() const { return Duration(longest_.load()); }
  void Cancel() { cancelled_.store(true); }

  // Visits one after the other, until `end`.
  void VisitHere(Clock::time_point end, Interrupt interrupt) {
    InterruptTimer timer(interrupt);
    for (auto now = Clock::now(); now < end && VisitNext(now);) now = timer.Check(now);
  }

  // Each thread, and whoever starts them, is to call End once.
  void Begin(std::size_t count) { at_work_.store(count); }
  void End() {
    if (at_work_.fetch_sub(1) > 1) return;
    visit_ = nullptr;
    is_done_.store(true);
    gate_.NotifyAll();
  }
  bool AwaitEnd(Duration duration) {
    return gate_.WaitFor(duration, [this] { return is_done_.load(); });
  }

  // After the end.
  void ThrowFailure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  // Returns false if there is nothing to do any more. `now` is the time before it, and after it.
  bool VisitNext(Clock::time_point& now) noexcept {
    if (cancelled_.load() || closing_.load() > 0) return false;
    const std::size_t index = next_.fetch_add(1);
    if (index >= count_) return false;
    try {
      visit_(index);
    } catch (...) {
      Fail(index, std::current_exception());
    }
    const auto before = std::exchange(now, Clock::now());
    RecordDuration(now - before);
    return true;
  }

  void Fail(std::size_t index, std::exception_ptr error) noexcept {
    cancelled_.store(true);
    const std::lock_guard lock(failure_mutex_);
    if (failure_ && failed_ < index) return;
    failed_ = index;
    failure_ = std::move(error);
  }

  void RecordDuration(Duration duration) noexcept {
    Duration::rep longest = longest_.load();
    while (duration.count() > longest &&
           !longest_.compare_exchange_weak(longest, duration.count())) {
    }
  }

  const std::size_t count_;
  std::function<void(std::size_t)> visit_;
  const std::atomic<int>& closing_;
  std::atomic<std::size_t> next_ = 0;    // the visit that begins next
  std::atomic<bool> cancelled_ = false;  // no further visits
  std::atomic<Duration::rep> longest_ = 0;
  std::atomic<std::size_t> at_work_ = 0;
  std::atomic<bool> is_done_ = false;
  Gate gate_;
  std::mutex failure_mutex_;
  // The first visit that failed: those before it were all begun, and so are all known.
  std::size_t failed_ = 0;
  std::exception_ptr failure_;
};

Visits::Visits(const Config& config, std::function<void(std::size_t)> visit,
               const std::atomic<int>& closing)
    : config_(config), job_(std::make_shared<Job>(config.count, std::move(visit), closing)) {
  ReserveForExceptions();  // this thread will throw what a visit threw
}

Visits::~Visits() {
  if (threads_.empty()) return;
  // In a forked child they don't exist, and can be neither waited for nor given up.
  if (fork_mark_.IsForked()) {
    static_cast<void>(std::make_unique<std::vector<std::thread>>(std::move(threads_)).release());
    return;
  }
  job_->Cancel();
  const bool is_done = job_->AwaitEnd(kPatience);
  for (std::thread& thread : threads_) is_done ? thread.join() : thread.detach();
}

bool Visits::Run(Interrupt interrupt) {
  constexpr auto kNever = Clock::time_point::max();
  if (config_.alone > Duration::zero()) job_->VisitHere(Clock::now() + config_.alone, interrupt);
  StartThreads();
  if (threads_.empty()) {
    job_->VisitHere(kNever, interrupt);
    job_->Begin(1);
    job_->End();
  } else {
    while (!job_->AwaitEnd(kInterruptPeriod)) interrupt();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  job_->ThrowFailure();
  return job_->Remaining() == 0;
}

Duration Visits::Longest() const { return job_->Longest(); }

// As many as the system has to give, perhaps none.
void Visits::StartThreads() {
  const std::size_t count = std::min(config_.most_threads, job_->Remaining());
  if (count == 0) return;
  threads_.reserve(count);
  job_->Begin(count + 1);
  try {
    while (threads_.size() < count) {
      threads_.push_back(StartThread([job = job_] {
        job->VisitHere(Clock::time_point::max(), DontInterrupt);
        job->End();
      }));
    }
  } catch (const std::exception&) {
    if (threads_.empty()) return;
    for (std::size_t missing = threads_.size(); missing < count; ++missing) job_->End();
  }
  job_->End();
}

}  // namespace envpool
