// Lander: LunarLander's world and rules, without what an environment adds to them.
#pragma once

#include <array>
#include <deque>
#include <span>

#include "box2d/world.h"
#include "envpool/archive.h"
#include "envpool/env.h"
#include "envpool/options.h"
#include "envpool/random.h"

namespace envpool::box2d {

// Smoke is what the engines blow out. It falls to the ground and meets nothing else.
struct Smoke {
  b2Body* body = nullptr;
  double life = 0.0;
};

// With more power than this, the engine's numbers overflow, and the lander stays at NaN for ever.
inline constexpr Limits kPower = {-1e6, 1e6};

// The options that may change while an episode goes on.
struct LanderSettings {
  bool has_wind = false;
  double gravity = 0.0;  // from the next reset on
  double wind_power = 0.0;
  double turbulence_power = 0.0;

  static LanderSettings Of(const Options& options);
  bool operator==(const LanderSettings&) const = default;
  void Serialize(Archive& archive) {
    archive(has_wind);
    archive.Range(gravity, -12, 0);
    archive.Range(wind_power, kPower.least, kPower.most);
    archive.Range(turbulence_power, kPower.least, kPower.most);
  }
};

class Lander final : private b2ContactListener {
 public:
  // With `has_smoke`, the engines blow out smoke, which changes nothing but pictures.
  Lander(const Options& options, bool has_smoke);

  void Use(const LanderSettings& settings) { settings_ = settings; }

  void Reset(Random& random);

  // An action is one number, that of the engine, or two: the throttles of the engines.
  StepResult Step(std::span<const float> action, Random& random);

  World& GetWorld() { return world_; }
  std::span<const double, 8> State() const { return state_; }
  Scene Describe() const;

 private:
  struct Thrust {
    double main = 0.0;       // power of the main engine, 0 to 1
    double side = 0.0;       // power of the side engines, 0 to 1
    double direction = 0.0;  // of these: -1 left, 1 right
  };

  Thrust ThrustOf(std::span<const float> action) const;
  void AddGround(Random& random);
  void AddLander(Random& random);
  void AddLeg(std::size_t index);
  void ApplyWind();
  void FireEngines(const Thrust& thrust, Random& random);
  void Push(const b2Vec2& where, double x, double y, double power, double life, double density);
  void AgeSmoke();
  void ComputeState();
  void Touch(b2Contact& contact, bool begins);
  void BeginContact(b2Contact* contact) override { Touch(*contact, true); }
  void EndContact(b2Contact* contact) override { Touch(*contact, false); }

  const bool continuous_;
  const bool has_smoke_;
  LanderSettings settings_;

  World world_;
  b2Body* lander_ = nullptr;
  std::array<b2Body*, 2> legs_{};
  std::array<bool, 2> leg_has_contact_{};
  std::deque<Smoke> smoke_;          // oldest first
  std::array<double, 11> ground_{};  // heights, from left to right
  std::int64_t wind_ = 0;
  std::int64_t turbulence_ = 0;
  bool has_crashed_ = false;
  bool has_shaping_ = false;
  double shaping_ = 0.0;  // what the state is worth
  std::array<double, 8> state_{};
};

}  // namespace envpool::box2d
