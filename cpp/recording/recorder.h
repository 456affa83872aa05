// Recorder: writes down what happens in a pool, on a thread of its own.
//
// Callers append to a chunk in memory. The thread writes it when it is large, or a quarter of a
// second old. If a chunk cannot be noted or written, the recording ends with those before it, and
// the pool goes on.
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

#include "recording/record_chunk.h"
#include "threads/gate.h"
#include "threads/interrupt.h"
#include "threads/machine.h"

namespace envpool {

class Recorder {
 public:
  // What may wait for a disk that is slower than the pool.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 28U;

  // Records a pool with such actions to a new file. Throws std::system_error.
  Recorder(const std::string& path, std::span<const Field> actions,
           std::size_t most_bytes = kMostBytes);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() { Stop(DontInterrupt, Clock::time_point::max()); }

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

  // Has the thread write all that there is, and end. What is appended next has it go on.
  void RequestStop() noexcept;
  // The same, and waits for its end. Returns false when the time is over; then, and if `interrupt`
  // throws meanwhile, it writes on.
  bool Stop(Interrupt interrupt, Clock::time_point deadline);

  // By any thread.

  bool IsWriting() const { return !attendance_.IsEmpty(); }
  // Why the recording has ended, once.
  bool HasProblem() const { return has_problem_.load(std::memory_order_relaxed); }
  std::string TakeProblem();

 private:
  void Run();
  // All of these with the mutex held.
  bool IsAnythingThere() const { return !full_.empty() || !chunk_.IsEmpty(); }
  void HandOver(bool was_empty) noexcept;
  void EnsureRunning();
  bool Queue();
  void Seal();
  RecordChunk TakeFirst();
  void DropAll() noexcept;
  void End(const std::exception& error) noexcept;

  const std::vector<Field> actions_;
  const std::string path_;
  const std::size_t most_bytes_;
  RecordFile file_;        // the thread's
  Attendance attendance_;  // of the thread; it leaves with the mutex held
  std::thread thread_;     // may have left
  std::atomic<bool> has_ended_ = false;
  std::atomic<bool> has_problem_ = false;

  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  RecordChunk chunk_;
  std::deque<RecordChunk> full_;
  std::size_t waiting_bytes_ = 0;  // in those
  bool is_stopping_ = false;
  std::string problem_;  // empty if there was no memory for it
};

template <class Add>
void Recorder::Append(Add add) noexcept {
  if (!IsOn()) return;
  const std::lock_guard lock(mutex_);
  if (!IsOn()) return;  // the thread has just failed
  const bool was_empty = chunk_.IsEmpty();
  try {
    add(chunk_);
  } catch (const std::exception& error) {
    chunk_.Discard();
    End(error);
  }
  HandOver(was_empty);
}

template <class Prepare>
void Recorder::Try(Prepare prepare) noexcept {
  if (!IsOn()) return;
  try {
    prepare();
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    End(error);
  }
}

}  // namespace envpool
