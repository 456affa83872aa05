// Reward: EnvPool's reward, which follows the changes of variables, and not Doom's own.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "vizdoom/doom_library.h"

namespace envpool::vizdoom {

inline constexpr int kNumWeapons = 10;

// What a variable's change by one is worth, upwards and downwards.
struct Worth {
  float up = 0.0F;
  float down = 0.0F;
};

struct RewardConfig {
  std::map<Variable, Worth> worths;
  std::map<int, float> weapons;  // of a step with this weapon in hand
  int weapon_duration = 0;       // from this step with the same weapon on
};

class Reward {
 public:
  Reward(const RewardConfig& config, std::span<const Variable> variables);

  // An episode begins with these values.
  void Begin(std::span<const double> values);
  // Returns the reward of a step that has led to these values.
  float Step(std::span<const double> values);

  // Returns the variables, without what earlier episodes have left in them.
  std::span<const double> Values() const { return values_; }

 private:
  // How the change of a variable counts.
  enum class Kind { kPlain, kDamage, kHits, kDeaths, kHealth, kWeapon, kAmmo };

  struct Column {
    Kind kind = Kind::kPlain;
    Worth worth;
    double before_episode = 0.0;  // of counters that a new episode does not set to zero
  };

  double Change(std::size_t i);
  float OfWeapon();

  const int weapon_duration_;
  std::array<float, kNumWeapons> weapons_ = {};
  std::vector<Column> columns_;
  std::vector<double> values_;
  std::vector<double> last_values_;
  int weapon_ = -1;
  int weapon_steps_ = 0;
};

}  // namespace envpool::vizdoom
