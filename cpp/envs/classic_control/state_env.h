// StateEnv: an environment whose state is a few numbers, which are also what it is drawn from.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

#include "envpool/env.h"

namespace envpool {

// Returns the scene's numbers. Throws std::invalid_argument if it has not `count` finite numbers
// for the state.
inline std::span<const double> AssumedState(const Scene& scene, std::size_t count) {
  const auto found = scene.find("state");
  const std::size_t size = found == scene.end() ? 0 : found->second.size();
  if (size != count) {
    throw std::invalid_argument("state has " + std::to_string(size) + " numbers, expected " +
                                std::to_string(count));
  }
  if (!std::ranges::all_of(found->second, [](double x) { return std::isfinite(x); })) {
    throw std::invalid_argument("state has a number that is not finite");
  }
  return found->second;
}

// True if the state was an array of float32.
inline bool IsAssumedFloat32(const Scene& scene) {
  const auto found = scene.find("is_float32");
  return found != scene.end() && found->second == std::vector{1.0};
}

// The functions are for an environment that observes and saves its state and nothing else; others
// override them.
template <std::size_t kSize>
class StateEnv : public Env {
 public:
  void Observe(const Row& row) const override {
    const auto obs = row.Observation<float>();
    for (std::size_t i = 0; i < kSize; ++i) obs[i] = static_cast<float>(state_[i]);
  }

  Scene Describe() const override { return {{"state", {state_.begin(), state_.end()}}}; }

  void Assume(const Scene& scene) override {
    std::ranges::copy(AssumedState(scene, kSize), state_.begin());
  }

  void Serialize(Archive& archive) override { archive(state_); }

 protected:
  std::array<double, kSize> state_{};
};

}  // namespace envpool
