// Recorder: writes down what happens in a pool, on a thread of its own.
//
// Callers append to a chunk in memory. The thread writes it when it is large, or a quarter of a
// second old. If that fails, the recording ends, and the pool goes on.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "executor/record_chunk.h"
#include "executor/record_file.h"

namespace envpool {

class Recorder {
 public:
  // Of a pool with such actions, to a file that is not there yet. Throws std::system_error.
  Recorder(const std::string& path, std::span<const Field> actions);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() { Stop(); }

  // The callers' side, one call at a time.

  // False once it has ended early. Nothing below throws, or does anything then.
  bool IsOn() const { return !has_ended_.load(std::memory_order_relaxed); }
  // Before what they do happens; no ids stand for all environments. See RecordChunk.
  void AddSteps(std::span<const std::int32_t> env_ids, std::span<const std::int32_t> players,
                std::span<const ArrayView> actions) noexcept;
  // Calls `add` with the chunk.
  template <class Add>
  void Append(Add add) noexcept;
  // Calls `prepare`, which may append.
  template <class Prepare>
  void Try(Prepare prepare) noexcept;

  // Writes all that there is, and ends the thread. It starts again with what is appended next.
  void Stop() noexcept;

  // Why the recording has ended, once.
  bool HasProblem() const { return has_problem_.load(std::memory_order_relaxed); }
  std::string TakeProblem();

 private:
  void Run();
  // These two with the mutex held.
  void HandOver();
  void End(const char* why) noexcept;

  const std::vector<Field> actions_;
  RecordFile file_;  // the thread's
  std::thread thread_;
  std::atomic<bool> has_ended_ = false;
  std::atomic<bool> has_problem_ = false;

  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  RecordChunk chunk_;
  std::deque<RecordChunk> full_;
  std::size_t waiting_bytes_ = 0;  // in those
  bool is_stopping_ = false;
  std::string problem_;
};

template <class Add>
void Recorder::Append(Add add) noexcept {
  if (!IsOn()) return;
  const std::lock_guard lock(mutex_);
  try {
    const bool was_empty = chunk_.IsEmpty();
    add(chunk_);
    HandOver();
    if (was_empty || !full_.empty()) changed_.notify_one();
  } catch (const std::exception& error) {
    End(error.what());
  }
}

template <class Prepare>
void Recorder::Try(Prepare prepare) noexcept {
  if (!IsOn()) return;
  try {
    prepare();
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    End(error.what());
  }
}

}  // namespace envpool
