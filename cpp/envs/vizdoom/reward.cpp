#include "vizdoom/reward.h"

#include <algorithm>
#include <utility>

#include "vizdoom/names.h"

namespace envpool::vizdoom {

namespace {

// More in one step is the work of weapons that hit many at once, which would count too much.
constexpr double kMostDamage = 200.0;
constexpr double kMostHits = 5.0;
// What is taken for health in the place of a number below zero, which the engine has now and then.
constexpr double kFullHealth = 100.0;

}  // namespace

Reward::Reward(const RewardConfig& config, std::span<const Variable> variables)
    : weapon_duration_(config.weapon_duration), columns_(variables.size()) {
  const std::pair<std::string_view, Kind> kinds[] = {
      {"DAMAGECOUNT", Kind::kDamage},     {"HITCOUNT", Kind::kHits},
      {"DEATHCOUNT", Kind::kDeaths},      {"HEALTH", Kind::kHealth},
      {"SELECTED_WEAPON", Kind::kWeapon}, {"SELECTED_WEAPON_AMMO", Kind::kAmmo}};
  for (std::size_t i = 0; i < variables.size(); ++i) {
    for (const auto& [name, kind] : kinds) {
      if (FindVariable(name) == variables[i]) columns_[i].kind = kind;
    }
    const auto worth = config.worths.find(variables[i]);
    if (worth != config.worths.end()) columns_[i].worth = worth->second;
  }
  for (const auto& [weapon, worth] : config.weapons) {
    weapons_.at(static_cast<std::size_t>(weapon)) = worth;
  }
}

void Reward::Begin(std::span<const double> values) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    const bool is_counter =
        column.kind == Kind::kDamage || column.kind == Kind::kHits || column.kind == Kind::kDeaths;
    column.before_episode = is_counter ? values[i] : 0.0;
  }
  weapon_ = -1;
  weapon_steps_ = 0;
  values_.assign(values.begin(), values.end());
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i] -= columns_[i].before_episode;
  last_values_ = values_;
  // The first observation counts as a step of the weapon in hand, and mends the health.
  for (std::size_t i = 0; i < values_.size(); ++i) Change(i);
  OfWeapon();
}

float Reward::Step(std::span<const double> values) {
  last_values_ = values_;
  values_.assign(values.begin(), values.end());
  float reward = 0.0F;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    values_[i] -= columns_[i].before_episode;
    const double change = Change(i);
    const Worth& worth = columns_[i].worth;
    reward += change >= 0 ? static_cast<float>(change * static_cast<double>(worth.up))
                          : -static_cast<float>(change * static_cast<double>(worth.down));
  }
  return reward + OfWeapon();
}

double Reward::Change(std::size_t i) {
  double& value = values_[i];
  double& last = last_values_[i];
  switch (columns_[i].kind) {
    case Kind::kDamage: return std::min(value - last, kMostDamage);
    case Kind::kHits: return std::min(value - last, kMostHits);
    case Kind::kHealth:
      if (last < 0 && value < 0) last = value = kFullHealth;
      if (value < 0) value = last;
      if (last < 0) last = value;
      return value - last;
    default: return value - last;
  }
}

// Counts the steps with the weapon in hand, and returns what this one is worth.
float Reward::OfWeapon() {
  int weapon = -1;
  int ammo = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].kind == Kind::kWeapon) weapon = static_cast<int>(values_[i]);
    if (columns_[i].kind == Kind::kAmmo) ammo = static_cast<int>(values_[i]);
  }
  weapon_steps_ = weapon == weapon_ ? weapon_steps_ + 1 : 1;
  weapon_ = weapon;
  const bool counts = weapon >= 0 && weapon_steps_ >= weapon_duration_ && ammo > 0;
  return counts && std::cmp_less(weapon, weapons_.size())
             ? weapons_[static_cast<std::size_t>(weapon)]
             : 0.0F;
}

}  // namespace envpool::vizdoom
