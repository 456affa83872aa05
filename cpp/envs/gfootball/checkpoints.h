// Checkpoints: a reward for each tenth of the way to the goal that an agent is the first time at
// with the ball, as upstream's CheckpointRewardWrapper.
#pragma once

#include <cstdint>
#include <vector>

#include "envpool/archive.h"
#include "gfootball/observed.h"

namespace envpool::gfootball {

class Checkpoints {
 public:
  explicit Checkpoints(std::size_t agents) : collected_(agents) {}

  void Begin() { collected_.assign(collected_.size(), 0); }
  // Returns the agent's reward with that of the checkpoints, in NumPy's float32.
  float Reward(float reward, const View& view, std::size_t agent);

  void Serialize(Archive& archive);

 private:
  std::vector<std::int32_t> collected_;  // how many each agent has
};

}  // namespace envpool::gfootball
