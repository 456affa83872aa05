// Journal: what of a pool's life is recorded.
//
// That is what callers give it, seeds, options, actions and resets, as all else follows from these;
// how episodes ended; and snapshots, of environments that were put into a state that no step leads
// to, and of each one now and then, so that a rollout has not far to go. How this comes into a file
// is the Recorder's business.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "environments/calls.h"
#include "environments/slot.h"
#include "loading/pool_config.h"
#include "recording/recorder.h"
#include "results/batches.h"
#include "results/layout.h"

namespace envpool {

// A rollout begins with the key frame before it. So it is never further away than this.
inline constexpr std::int32_t kKeyFrameSteps = 10'000;

// Which environments' states a recording needs before their next step or reset.
class KeyFrames {
 public:
  // Not all in the same step: that would be a step that takes long.
  explicit KeyFrames(std::size_t num_envs) : steps_left_(num_envs), was_put_(num_envs) {
    for (std::size_t i = 0; i < num_envs; ++i) {
      steps_left_[i] = 1 + static_cast<std::int32_t>(i * kKeyFrameSteps / num_envs);
    }
    steps_left_[0] = kKeyFrameSteps;
    due_.reserve(num_envs);
  }

  // Steps of each of these, which are all of them, in order, if `are_all`. Returns those whose
  // state is due before it, until the next call.
  std::span<const std::int32_t> CountSteps(std::span<const std::int32_t> env_ids, bool are_all) {
    due_.clear();
    // Mostly it is nobody's, so all are asked without branches.
    std::int32_t least = 0;
    if (are_all) {
      for (std::int32_t& left : steps_left_) least = std::min(least, --left);
    } else {
      for (const std::int32_t id : env_ids) {
        least = std::min(least, --steps_left_[static_cast<std::size_t>(id)]);
      }
    }
    if (least >= 0) return due_;
    for (const std::int32_t id : env_ids) {
      if (steps_left_[static_cast<std::size_t>(id)] < 0) due_.push_back(id);
    }
    return due_;
  }

  // Notes that an environment was put into a state that its steps and resets do not lead to.
  void WasPut(std::int32_t env) {
    was_put_[static_cast<std::size_t>(env)] = true;
    steps_left_[static_cast<std::size_t>(env)] = 0;
  }
  bool HasBeenPut(std::int32_t env) const { return was_put_[static_cast<std::size_t>(env)]; }

  // Notes that an environment's state was saved, or cannot be.
  void Settle(std::int32_t env) {
    was_put_[static_cast<std::size_t>(env)] = false;
    steps_left_[static_cast<std::size_t>(env)] = kKeyFrameSteps;
  }

 private:
  std::vector<std::int32_t> steps_left_;
  std::vector<char> was_put_;
  std::vector<std::int32_t> due_;
};

class Journal {
 public:
  // Whom it asks about environments, which don't run meanwhile.
  class Source {
   public:
    // How the episode ended that was over in the last request, or failed in it.
    virtual EpisodeEnd LastEnd(std::int32_t env) const = 0;
    // What its next episode begins with; null if nothing was chosen.
    virtual const Choice* NextOf(std::int32_t env) const = 0;
    // A snapshot of its state; nothing if there are none. May throw anything.
    virtual std::optional<std::string> Save(std::int32_t env) = 0;

   protected:
    ~Source() = default;
  };

  // Records a pool with such actions. All that is referred to outlives the journal. Throws
  // std::system_error if the file cannot be made.
  Journal(const PoolConfig& config, std::span<const Field> actions, const Layout& layout,
          Source& source);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // The callers' side, one call at a time. What cannot be noted ends the recording, not the call.

  // Before the environments run. `players` are how many actions each is given, if that is not one.
  void NoteSteps(const StepRequest& request, std::span<const std::int32_t> players) noexcept;
  void NoteResets(const ResetRequest& request) noexcept;
  // What was said of the next episodes of these.
  void NoteNext(std::span<const std::int32_t> env_ids) noexcept;
  // The ends of episodes and the failures in what is delivered, before its gaps are closed.
  // `env_ids` are those of its rows.
  void NoteEnds(const Delivery& delivery, std::span<const std::int32_t> env_ids) noexcept;
  // The same for an environment whose caller has judged it, as that of all batches does. From then
  // on, NoteEnds leaves ends to this, but for failures; and there are no key frames, which would
  // not have what the caller remembers.
  void NoteJudged(std::int32_t env, bool is_over) noexcept;
  // The same for an environment that has failed between two requests.
  void NoteEnd(std::int32_t env) noexcept;
  // Notes that an environment has other options now, in JSON, and a state that fits them.
  void NoteOptions(std::int32_t env, std::string_view options) noexcept;
  // Notes that an environment may be in a state that no step or reset leads to.
  void NotePut(std::int32_t env) noexcept { key_frames_.WasPut(env); }
  // Notes that these were changed in a way that is not recorded: nothing of them that comes after
  // it can be replayed.
  void NoteLost(std::span<const std::int32_t> env_ids, std::string_view why) noexcept;

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
  void AddEnd(RecordChunk& chunk, std::int32_t env) const {
    chunk.AddEnd(env, source_.LastEnd(env));
  }
  void NoteState(std::int32_t env);

  const PoolConfig& config_;
  const Layout& layout_;
  Source& source_;
  KeyFrames key_frames_;
  Recorder recorder_;
  bool is_judged_ = false;
};

}  // namespace envpool
