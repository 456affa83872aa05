#include "executor/recorder.h"

#include <chrono>
#include <stdexcept>
#include <utility>

#include "executor/threads.h"

namespace envpool {

namespace {

constexpr auto kOldest = std::chrono::milliseconds(250);
constexpr std::size_t kFullBytes = std::size_t{1} << 20U;
// Waiting for a disk that is slower than the environments.
constexpr std::size_t kMostBytes = std::size_t{1} << 28U;

}  // namespace

Recorder::Recorder(const std::string& path, std::span<const Field> actions)
    : actions_(actions.begin(), actions.end()), file_(path), chunk_(actions_) {}

void Recorder::AddSteps(std::span<const std::int32_t> env_ids,
                        std::span<const std::int32_t> players,
                        std::span<const ArrayView> actions) noexcept {
  Append([&](RecordChunk& chunk) {
    if (!chunk.Takes(actions)) {
      waiting_bytes_ += chunk.Bytes();
      full_.push_back(std::exchange(chunk, RecordChunk(actions_)));
    }
    chunk.AddSteps(env_ids, players, actions);
  });
}

void Recorder::HandOver() {
  if (!thread_.joinable()) thread_ = StartThread([this] { Run(); });
  if (chunk_.Bytes() < kFullBytes) return;
  if (waiting_bytes_ > kMostBytes) throw std::runtime_error("the disk is slower than the pool");
  waiting_bytes_ += chunk_.Bytes();
  full_.push_back(std::exchange(chunk_, RecordChunk(actions_)));
}

void Recorder::Run() {
  std::unique_lock lock(mutex_);
  const auto is_anything_there = [this] { return !full_.empty() || !chunk_.IsEmpty(); };
  const auto is_due = [this] { return !full_.empty() || is_stopping_; };
  while (true) {
    changed_.wait(lock, [&] { return is_stopping_ || is_anything_there(); });
    changed_.wait_for(lock, kOldest, is_due);
    if (!is_anything_there()) {
      if (is_stopping_) return;
      continue;
    }
    try {
      if (full_.empty()) {
        full_.push_back(std::exchange(chunk_, RecordChunk(actions_)));
        waiting_bytes_ += full_.front().Bytes();
      }
      const RecordChunk chunk = std::move(full_.front());
      full_.pop_front();
      waiting_bytes_ -= chunk.Bytes();
      lock.unlock();
      if (IsOn()) file_.Append(chunk.Encode());
      lock.lock();
    } catch (const std::exception& error) {
      if (!lock.owns_lock()) lock.lock();
      End(error.what());
    }
  }
}

void Recorder::Stop() noexcept {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
  is_stopping_ = false;
}

void Recorder::End(const char* why) noexcept {
  has_ended_.store(true);
  chunk_.Discard();
  try {
    problem_ = why;
    has_problem_.store(true);
  } catch (const std::exception&) {
    // There is no memory for the reason; the recording ends without it.
  }
}

std::string Recorder::TakeProblem() {
  if (!has_problem_.exchange(false)) return "";
  const std::lock_guard lock(mutex_);
  return std::move(problem_);
}

}  // namespace envpool
