// KeyFrames: which environments' states a recording needs before their next step or reset.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace envpool {

// A rollout begins with the key frame before it. So it is never further away than this.
inline constexpr std::int32_t kKeyFrameSteps = 10'000;

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

}  // namespace envpool
