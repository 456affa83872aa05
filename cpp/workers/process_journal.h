// ProcessJournal: what of the life of a pool of processes is recorded, as Journal has it of others.
//
// There are no snapshots. Those of environments written in Python are pickles, and reading one from
// a file that somebody else has made could do anything.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "executor/environments/episode_end.h"
#include "recording/recorder.h"
#include "workers/exchange.h"
#include "workers/parcel.h"
#include "workers/shared_config.h"

namespace envpool {

class ProcessJournal {
 public:
  // Of a pool with this exchange, which outlives it as the config does. Throws std::system_error if
  // there can be no file.
  ProcessJournal(const SharedConfig& config, const Exchange& exchange);
  ProcessJournal(const ProcessJournal&) = delete;
  ProcessJournal& operator=(const ProcessJournal&) = delete;

  // One call at a time. What cannot be noted ends the recording, not the call.

  // `players` are how many actions each environment is given, if that is not one.
  void NoteSteps(std::span<const std::int32_t> env_ids, std::span<const int> players,
                 std::span<const ArrayView> actions) noexcept;
  void NoteResets(std::span<const std::int32_t> env_ids, const ResetNotes& notes) noexcept;
  // What is delivered, before its gaps are closed; `env_ids` are those of its rows.
  void NoteRows(const Parcel& parcel, std::span<const std::int32_t> env_ids) noexcept;
  // An environment whose request has been delivered, or that had none, has lost its process.
  void NoteIdleEnd(std::int32_t env, std::string_view why) noexcept;
  // A worker begins. Its environments are others than those of the one before.
  void NoteWorker(int worker) noexcept;
  // These were changed in a way that is not recorded.
  void NoteLost(std::span<const std::int32_t> env_ids, std::string_view why) noexcept;
  // It was put to where its episode is over, or not.
  void NotePut(std::int32_t env, bool is_over) noexcept;

  // Has everything come into the file, without waiting for it.
  void Flush() noexcept { recorder_.RequestStop(); }
  // The same, and waits until all is written. Returns false when the time is over; then, and if
  // `interrupt` throws meanwhile, it is still being written.
  bool Stop(Interrupt interrupt, Clock::time_point deadline) {
    return recorder_.Stop(interrupt, deadline);
  }

  // Why the recording has ended early, once; empty if it has not. By any thread.
  std::string TakeProblem() { return recorder_.HasProblem() ? recorder_.TakeProblem() : ""; }

 private:
  // Where an environment was after its last result.
  struct Progress {
    bool has_episode = false;
    double episode_return = 0.0;
    std::int32_t length = 0;
  };

  Progress& ProgressOf(std::int32_t env) { return progress_[static_cast<std::size_t>(env)]; }
  void AddIfMade(RecordChunk& chunk, std::int32_t env);
  void AddWorkerEnd(RecordChunk& chunk, std::int32_t env, std::string_view why);

  const SharedConfig& config_;
  const Exchange& exchange_;
  std::vector<Progress> progress_;
  std::vector<char> has_begun_;  // of each worker
  std::vector<char> is_new_;     // of each environment: it was made again, which is not noted yet
  Recorder recorder_;
};

}  // namespace envpool
