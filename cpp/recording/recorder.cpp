#include "recording/recorder.h"

#include <chrono>
#include <new>
#include <stdexcept>
#include <utility>

#include "threads/threads.h"

namespace envpool {

namespace {

constexpr auto kOldest = std::chrono::milliseconds(250);
constexpr std::size_t kFullBytes = std::size_t{1} << 20U;

// In memory, about. A chunk in which there is little has its vectors, too.
std::size_t SizeOf(const RecordChunk& chunk) { return 1024 + chunk.Bytes(); }

}  // namespace

Recorder::Recorder(const std::string& path, std::span<const Field> actions, std::size_t most_bytes)
    : actions_(actions.begin(), actions.end()),
      path_(path),
      most_bytes_(most_bytes),
      file_(path),
      chunk_(actions_) {}

void Recorder::AddSteps(std::span<const std::int32_t> env_ids,
                        std::span<const std::int32_t> players,
                        std::span<const ArrayView> actions) noexcept {
  Append([&](RecordChunk& chunk) {
    if (chunk.Takes(actions) || Queue()) chunk.AddSteps(env_ids, players, actions);
  });
}

// After something was appended, or could not be: what was there before is written all the same.
void Recorder::HandOver(bool was_empty) noexcept {
  try {
    EnsureRunning();
    if (chunk_.Bytes() >= kFullBytes) Queue();
  } catch (const std::exception& error) {
    End(error);
  }
  if (was_empty || !full_.empty()) changed_.notify_one();
}

void Recorder::EnsureRunning() {
  is_stopping_ = false;
  if (IsWriting()) return;
  if (thread_.joinable()) thread_.join();
  thread_ = StartThread([this] { Run(); });
  attendance_.Enter();  // it cannot have left before, as that takes the mutex
}

// The chunk waits to be written, and another one takes its place. Returns false, and ends the
// recording, if too much waits.
bool Recorder::Queue() {
  if (waiting_bytes_ <= most_bytes_) {
    Seal();
    return true;
  }
  End(std::runtime_error(std::to_string(waiting_bytes_ >> 20U) +
                         " MiB wait to be written, as the pool is faster than the disk"));
  return false;
}

// If it throws, nothing has changed.
void Recorder::Seal() {
  full_.emplace_back(actions_);
  std::swap(full_.back(), chunk_);
  waiting_bytes_ += SizeOf(full_.back());
}

// Takes the first chunk of the queue, which is not empty.
RecordChunk Recorder::TakeFirst() {
  if (full_.empty()) Seal();
  RecordChunk first = std::move(full_.front());
  full_.pop_front();
  waiting_bytes_ -= SizeOf(first);
  return first;
}

void Recorder::Run() {
  std::unique_lock lock(mutex_);
  const auto is_due = [this] { return !full_.empty() || is_stopping_; };
  while (true) {
    changed_.wait(lock, [this] { return is_stopping_ || IsAnythingThere(); });
    changed_.wait_for(lock, kOldest, is_due);
    if (IsAnythingThere()) {
      try {
        const RecordChunk chunk = TakeFirst();
        lock.unlock();
        file_.Append(chunk.Encode());
        lock.lock();
      } catch (const std::exception& error) {
        if (!lock.owns_lock()) lock.lock();
        End(error);
        DropAll();  // what follows a gap cannot be read
      }
    } else if (is_stopping_) {
      return attendance_.Leave();
    }
  }
}

void Recorder::DropAll() noexcept {
  full_.clear();
  waiting_bytes_ = 0;
  chunk_.Discard();
}

void Recorder::RequestStop() noexcept {
  const std::lock_guard lock(mutex_);
  is_stopping_ = true;
  changed_.notify_one();
}

bool Recorder::Stop(Interrupt interrupt, Clock::time_point deadline) {
  RequestStop();
  if (!attendance_.AwaitEmpty(interrupt, deadline)) return false;
  // Two threads may stop it. Having left, it needs the mutex no more.
  const std::lock_guard lock(mutex_);
  if (!IsWriting() && thread_.joinable()) thread_.join();
  return true;
}

void Recorder::End(const std::exception& error) noexcept {
  if (has_ended_.exchange(true)) return;
  try {
    const bool is_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    problem_ = path_ + ": " + (is_memory ? "out of memory" : error.what());
  } catch (const std::exception&) {
    problem_.clear();
  }
  has_problem_.store(true);
}

std::string Recorder::TakeProblem() {
  if (!has_problem_.exchange(false)) return "";
  const std::lock_guard lock(mutex_);
  return problem_.empty() ? "out of memory" : std::move(problem_);
}

}  // namespace envpool
