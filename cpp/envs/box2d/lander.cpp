// Follows gymnasium/envs/box2d/lunar_lander.py operation by operation.
#include "box2d/lander.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "envpool/numpy_math.h"

namespace envpool::box2d {

namespace {

constexpr double kScale = 30.0;  // pixels per meter
constexpr double kWidth = 600 / kScale;
constexpr double kHeight = 400 / kScale;
constexpr double kMainEnginePower = 13.0;
constexpr double kSideEnginePower = 0.6;
constexpr double kInitialForce = 1000.0;
constexpr double kLegAway = 20;
constexpr double kLegDown = 18;
constexpr double kLegWidth = 2;
constexpr double kLegHeight = 8;
constexpr double kLegTorque = 40;
constexpr double kSideEngineHeight = 14;
constexpr double kSideEngineAway = 12;
constexpr double kMainEngineY = 4;
constexpr double kPadHeight = kHeight / 4;
constexpr std::size_t kChunks = 11;  // points of the ground
constexpr std::uint16_t kGround = 0x0001;

double GroundX(std::size_t chunk) { return kWidth / (kChunks - 1) * static_cast<double>(chunk); }

// Returns the force of a wind that never repeats itself.
double Wind(std::int64_t index, double power) {
  const auto x = static_cast<double>(index);
  return std::tanh(std::sin(0.02 * x) + std::sin(std::numbers::pi * 0.01 * x)) * power;
}

}  // namespace

LanderSettings LanderSettings::Of(const Options& options) {
  return {.has_wind = options.Flag("enable_wind"),
          .gravity = options.Number("gravity"),
          .wind_power = options.Number("wind_power"),
          .turbulence_power = options.Number("turbulence_power")};
}

Lander::Lander(const Options& options, bool has_smoke)
    : continuous_(options.Flag("continuous")),
      has_smoke_(has_smoke),
      settings_(LanderSettings::Of(options)) {}

void Lander::Reset(Random& random) {
  world_.Clear(settings_.gravity);
  world_->SetContactListener(this);
  smoke_.clear();
  has_crashed_ = false;
  has_shaping_ = false;
  leg_has_contact_ = {};
  AddGround(random);
  AddLander(random);
  for (std::size_t leg = 0; leg < legs_.size(); ++leg) AddLeg(leg);
  constexpr std::array<float, 2> kNothing{};
  Step(std::span(kNothing).first(continuous_ ? 2 : 1), random);
}

void Lander::AddGround(Random& random) {
  std::array<double, kChunks + 1> heights{};
  for (double& height : heights) height = random.Uniform(0.0, kHeight / 2);
  std::fill_n(heights.begin() + kChunks / 2 - 2, 5, kPadHeight);
  for (std::size_t i = 0; i < kChunks; ++i) {
    const double before = i == 0 ? heights.back() : heights[i - 1];
    ground_[i] = 0.33 * (before + heights[i] + heights[i + 1]);
  }
  b2Body& moon = *world_.AddBody(b2_staticBody);
  World::AddFixture(moon, Edge(Vector(0, 0), Vector(kWidth, 0)), {});
  for (std::size_t i = 0; i + 1 < kChunks; ++i) {
    const b2EdgeShape edge =
        Edge(Vector(GroundX(i), ground_[i]), Vector(GroundX(i + 1), ground_[i + 1]));
    World::AddFixture(moon, edge, {.friction = 0.1});
  }
}

void Lander::AddLander(Random& random) {
  const std::array<b2Vec2, 6> corners = {
      Vector(-14 / kScale, 17 / kScale),  Vector(-17 / kScale, 0 / kScale),
      Vector(-17 / kScale, -10 / kScale), Vector(17 / kScale, -10 / kScale),
      Vector(17 / kScale, 0 / kScale),    Vector(14 / kScale, 17 / kScale)};
  lander_ = world_.AddBody(b2_dynamicBody, Vector(kWidth / 2, kHeight));
  World::AddFixture(
      *lander_, Polygon(corners),
      {.density = 5.0, .friction = 0.1, .category = 0x0010, .collides_with = kGround});
  const double force_x = random.Uniform(-kInitialForce, kInitialForce);
  const double force_y = random.Uniform(-kInitialForce, kInitialForce);
  lander_->ApplyForceToCenter(Vector(force_x, force_y), true);
  if (settings_.has_wind) {
    wind_ = random.Integers(-9999, 9999);
    turbulence_ = random.Integers(-9999, 9999);
  }
}

void Lander::AddLeg(std::size_t index) {
  const double side = index == 0 ? -1 : 1;
  b2Body* leg = world_.AddBody(b2_dynamicBody,
                               Vector(kWidth / 2 - side * kLegAway / kScale, kHeight), side * 0.05);
  World::AddFixture(*leg, Rectangle(kLegWidth / kScale, kLegHeight / kScale),
                    {.density = 1.0, .category = 0x0020, .collides_with = kGround});
  world_.AddHinge({.a = lander_,
                   .b = leg,
                   .anchor_a = Vector(0, 0),
                   .anchor_b = Vector(side * kLegAway / kScale, kLegDown / kScale),
                   .torque = kLegTorque,
                   .speed = 0.3 * side,
                   .lower = index == 0 ? 0.9 - 0.5 : -0.9,
                   .upper = index == 0 ? 0.9 : -0.9 + 0.5});
  legs_[index] = leg;
}

Lander::Thrust Lander::ThrustOf(std::span<const float> action) const {
  if (!continuous_) {
    if (action[0] == 2.0F) return {.main = 1.0};
    if (action[0] == 0.0F) return {};
    return {.side = 1.0, .direction = double{action[0]} - 2.0};
  }
  const double main = std::clamp(double{action[0]}, -1.0, 1.0);
  const double side = std::clamp(double{action[1]}, -1.0, 1.0);
  Thrust thrust;
  if (main > 0.0) thrust.main = (main + 1.0) * 0.5;
  if (std::abs(side) > 0.5) {
    thrust.side = std::clamp(std::abs(side), 0.5, 1.0);
    thrust.direction = numpy::Sign(side);
  }
  return thrust;
}

void Lander::ApplyWind() {
  lander_->ApplyForceToCenter(Vector(Wind(wind_++, settings_.wind_power), 0.0), true);
  lander_->ApplyTorque(static_cast<float>(Wind(turbulence_++, settings_.turbulence_power)), true);
}

// Pushes the lander at a place, `x` and `y` away from it, with smoke in the other direction.
void Lander::Push(const b2Vec2& where, double x, double y, double power, double life,
                  double density) {
  if (has_smoke_) {
    b2CircleShape shape;
    shape.m_radius = static_cast<float>(2 / kScale);
    b2Body* body = world_.AddBody(b2_dynamicBody, where);
    World::AddFixture(*body, shape,
                      {.density = density,
                       .friction = 0.1,
                       .restitution = 0.3,
                       .category = 0x0100,
                       .collides_with = kGround});
    body->ApplyLinearImpulse(Vector(x * power * life, y * power * life), where, true);
    smoke_.push_back({body, life});
  }
  lander_->ApplyLinearImpulse(Vector(-x * power * life, -y * power * life), where, true);
}

void Lander::FireEngines(const Thrust& thrust, Random& random) {
  const double angle = lander_->GetAngle();
  const std::array<double, 2> tip = {std::sin(angle), std::cos(angle)};
  const std::array<double, 2> side = {-tip[1], tip[0]};
  const double dispersion_0 = random.Uniform(-1.0, 1.0) / kScale;
  const double dispersion_1 = random.Uniform(-1.0, 1.0) / kScale;
  if (thrust.main > 0.0) {
    const b2Vec2 position = lander_->GetPosition();
    const double along = kMainEngineY / kScale + 2 * dispersion_0;
    const double x = tip[0] * along + side[0] * dispersion_1;
    const double y = -tip[1] * along - side[1] * dispersion_1;
    Push(Vector(position.x + x, position.y + y), x, y, kMainEnginePower, thrust.main, 3.5);
  }
  if (thrust.side > 0.0) {
    const b2Vec2 position = lander_->GetPosition();
    const double across = 3 * dispersion_1 + thrust.direction * kSideEngineAway / kScale;
    const double x = tip[0] * dispersion_0 + side[0] * across;
    const double y = -tip[1] * dispersion_0 - side[1] * across;
    // Gymnasium's 17, where one would expect the height of the side engines.
    const b2Vec2 where = Vector(position.x + x - tip[0] * 17 / kScale,
                                position.y + y + tip[1] * kSideEngineHeight / kScale);
    Push(where, x, y, kSideEnginePower, thrust.side, 0.7);
  }
}

// Ages the smoke as if a picture was drawn after the step before, which is when Gymnasium does
// this. A picture of this step is drawn before it: what Describe says is as old as when Gymnasium
// begins to draw.
void Lander::AgeSmoke() {
  for (Smoke& smoke : smoke_) smoke.life -= 0.15;
  while (!smoke_.empty() && smoke_.front().life < 0.0) {
    world_->DestroyBody(smoke_.front().body);
    smoke_.pop_front();
  }
}

void Lander::ComputeState() {
  const b2Vec2 position = lander_->GetPosition();
  const b2Vec2 velocity = lander_->GetLinearVelocity();
  state_ = {(position.x - kWidth / 2) / (kWidth / 2),
            (position.y - (kPadHeight + kLegDown / kScale)) / (kHeight / 2),
            velocity.x * (kWidth / 2) / kFramesPerSecond,
            velocity.y * (kHeight / 2) / kFramesPerSecond,
            lander_->GetAngle(),
            20.0 * lander_->GetAngularVelocity() / kFramesPerSecond,
            leg_has_contact_[0] ? 1.0 : 0.0,
            leg_has_contact_[1] ? 1.0 : 0.0};
}

StepResult Lander::Step(std::span<const float> action, Random& random) {
  if (has_smoke_) AgeSmoke();
  if (settings_.has_wind && !leg_has_contact_[0] && !leg_has_contact_[1]) ApplyWind();
  const Thrust thrust = ThrustOf(action);
  FireEngines(thrust, random);
  world_.Step();
  ComputeState();
  const auto& s = state_;
  const double shaping = -100 * std::sqrt(s[0] * s[0] + s[1] * s[1]) -
                         100 * std::sqrt(s[2] * s[2] + s[3] * s[3]) - 100 * std::abs(s[4]) +
                         10 * s[6] + 10 * s[7];
  double reward = has_shaping_ ? shaping - shaping_ : 0.0;
  shaping_ = shaping;
  has_shaping_ = true;
  reward -= thrust.main * 0.30;
  reward -= thrust.side * 0.03;
  const bool has_left = has_crashed_ || std::abs(s[0]) >= 1.0;
  const bool rests = !lander_->IsAwake();
  if (has_left) reward = -100.0;
  if (rests) reward = 100.0;
  return {.reward = reward, .terminated = has_left || rests};
}

void Lander::Touch(b2Contact& contact, bool begins) {
  for (const b2Body* body : {contact.GetFixtureA()->GetBody(), contact.GetFixtureB()->GetBody()}) {
    if (begins && body == lander_) has_crashed_ = true;
    for (std::size_t leg = 0; leg < legs_.size(); ++leg) {
      if (body == legs_[leg]) leg_has_contact_[leg] = begins;
    }
  }
}

Scene Lander::Describe() const {
  Scene scene;
  for (std::size_t i = 0; i < kChunks; ++i) {
    scene["ground"].insert(scene["ground"].end(), {GroundX(i), ground_[i]});
  }
  for (const b2Body* body : {lander_, legs_[0], legs_[1]}) {
    const b2Vec2 position = body->GetPosition();
    scene["bodies"].insert(scene["bodies"].end(), {position.x, position.y, body->GetAngle()});
  }
  scene["smoke"] = {};
  for (const Smoke& smoke : smoke_) {
    const b2Vec2 position = smoke.body->GetPosition();
    scene["smoke"].insert(scene["smoke"].end(), {position.x, position.y, smoke.life});
  }
  return scene;
}

}  // namespace envpool::box2d
