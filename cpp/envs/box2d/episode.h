// Episode: what a simulation was given since its episode began.
//
// Box2D's worlds can be neither copied nor saved: bodies, contacts and the tree of shapes point to
// each other, and the order of each list matters. But the same calls make the same world, bit for
// bit. So a snapshot holds the episode, and whoever reads it goes through it again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "envpool/archive.h"
#include "envpool/random.h"

namespace envpool::box2d {

class Episode {
 public:
  // `free_nodes` is the world's, for a world that outlives its episodes; see World::FreeNodes.
  void Begin(const Random& random, std::vector<std::int32_t> free_nodes = {}) {
    random_ = random;
    free_nodes_ = std::move(free_nodes);
    actions_.clear();
    has_begun_ = true;
  }

  // Was there a reset at all?
  bool HasBegun() const { return has_begun_; }

  void Add(std::span<const float> action) {
    actions_.insert(actions_.end(), action.begin(), action.end());
  }

  // As they were before the reset.
  const Random& StartRandom() const { return random_; }
  std::span<const std::int32_t> FreeNodes() const { return free_nodes_; }

  std::size_t Steps(std::size_t action_size) const { return actions_.size() / action_size; }
  std::span<const float> ActionOf(std::size_t step, std::size_t action_size) const {
    return std::span(actions_).subspan(step * action_size, action_size);
  }

  void Serialize(Archive& archive) { archive(has_begun_, random_, free_nodes_, actions_); }

 private:
  bool has_begun_ = false;
  Random random_;
  std::vector<std::int32_t> free_nodes_;
  std::vector<float> actions_;  // one after the other
};

}  // namespace envpool::box2d
