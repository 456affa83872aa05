// Journal: what of a pool's life is recorded.
//
// That is what callers give it, seeds, options, actions and resets, as all else follows from these;
// how episodes ended; and snapshots, of environments that were put into a state that no step leads
// to, and of each one now and then, so that a rollout has not far to go. How this comes into a file
// is the Recorder's business.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "executor/environments/action_store.h"
#include "executor/environments/environments.h"
#include "executor/environments/reset_request.h"
#include "executor/environments/states.h"
#include "executor/results/delivery.h"
#include "executor/results/layout.h"
#include "loading/pool_config.h"
#include "loading/pool_spec.h"
#include "recording/key_frames.h"
#include "recording/recorder.h"

namespace envpool {

class Journal {
 public:
  // Of a pool of these parts, which outlive it. Throws std::system_error if there can be no file.
  Journal(const PoolConfig& config, const PoolSpec& spec, const Layout& layout,
          const Environments& environments, States& states);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // The callers' side, one call at a time. What cannot be noted ends the recording, not the call.

  // Before the environments run. One array per action field.
  void NoteSteps(std::span<const std::int32_t> env_ids,
                 std::span<const ArrayView> actions) noexcept;
  void NoteResets(const ResetRequest& request) noexcept;
  // The ends of episodes and the failures in what is delivered, before its gaps are closed.
  // `env_ids` are those of its rows.
  void NoteEnds(const Delivery& delivery, std::span<const std::int32_t> env_ids) noexcept;
  // It has other options now, and a state that fits them.
  void NoteOptions(std::int32_t env) noexcept;
  // It may be in a state now that no step or reset leads to.
  void NotePut(std::int32_t env) noexcept { key_frames_.WasPut(env); }

  // Has everything come into the file, without waiting for it.
  void Flush() noexcept { recorder_.RequestStop(); }
  // The same, and waits until all is written. Returns false when the time is over; then, and if
  // `interrupt` throws meanwhile, it is still being written.
  bool Stop(Interrupt interrupt, Clock::time_point deadline) {
    return recorder_.Stop(interrupt, deadline);
  }

  // By any thread.

  bool IsWriting() const { return recorder_.IsWriting(); }
  // Why the recording has ended early, once; empty if it has not.
  std::string TakeProblem() { return recorder_.HasProblem() ? recorder_.TakeProblem() : ""; }

 private:
  void NoteState(std::int32_t env);

  const PoolConfig& config_;
  const Layout& layout_;
  const Environments& environments_;
  States& states_;
  KeyFrames key_frames_;
  Recorder recorder_;
};

}  // namespace envpool
