// BipedalWalker: walk to the right on two legs, over rough ground or, in the hardcore version, over
// stumps, stairs and pits.
//
// Follows gymnasium/envs/box2d/bipedal_walker.py operation by operation. Its world outlives the
// episodes.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "box2d/episode.h"
#include "box2d/together.h"
#include "box2d/walker_lidar.h"
#include "box2d/walker_terrain.h"
#include "box2d/world.h"
#include "envpool/family.h"
#include "envpool/numpy_math.h"

namespace envpool::box2d::bipedal_walker {
namespace {

constexpr double kScale = WalkerTerrain::kScale;
constexpr double kTorque = 80;  // of the motors, at most
constexpr double kHipSpeed = 4;
constexpr double kKneeSpeed = 6;
constexpr double kInitialForce = 5;
constexpr double kLegDown = -8 / kScale;
constexpr double kLegWidth = 8 / kScale;
constexpr double kLegHeight = 34 / kScale;
constexpr double kViewWidth = 600 / kScale;
constexpr double kViewHeight = 400 / kScale;
constexpr double kGroundFriction = 2.5;
constexpr std::uint16_t kGround = 0x0001;
constexpr std::uint16_t kWalker = 0x0020;
constexpr std::size_t kJoints = 4;  // hip, knee, hip, knee
constexpr std::size_t kRays = WalkerLidar::kRays;

// The options that may change while an episode goes on.
struct WalkerSettings {
  bool hardcore = false;  // from the next reset on

  bool operator==(const WalkerSettings&) const = default;
  void Serialize(Archive& archive) { archive(hardcore); }
};

class BipedalWalker final : public WorldEnv, private b2ContactListener {
 public:
  explicit BipedalWalker(const Options& options)
      : episode_(kJoints, 0, {.hardcore = options.Flag("hardcore")}) {
    world_.Clear(kGravity);
  }

  static Spec MakeSpec(const Options&) {
    constexpr double kPi = std::numbers::pi;
    Bounds low = {-kPi, -5, -5, -5, -kPi, -5, -kPi, -5, -0.0, -kPi, -5, -kPi, -5, -0.0};
    Bounds high = {kPi, 5, 5, 5, kPi, 5, kPi, 5, 5, kPi, 5, kPi, 5, 5};
    low.insert(low.end(), kRays, -1.0);
    high.insert(high.end(), kRays, 1.0);
    return {.observation = {Box("obs", DType::kFloat32, {24}, low, high)},
            .action = {Box("action", DType::kFloat32, {4}, {-1}, {1})}};
  }

  void Reset(Random& random, const Options&) override {
    Clear();
    episode_.Begin(random, world_.FreeNodes());
    Build(random);
  }

  StepResult Step(const Action& action, Random&) override { return Advance(episode_.Add(action)); }
  World& GetWorld() override { return world_; }

  void Observe(const Row& row) const override {
    const auto obs = row.Observation<float>();
    for (std::size_t i = 0; i < obs.size(); ++i) obs[i] = static_cast<float>(state_[i]);
  }

  bool HasBegun() const override { return episode_.HasBegun(); }

  void Serialize(Archive& archive) override {
    archive(episode_);
    if (!archive.IsReader()) return;
    Forget();
    if (!episode_.HasBegun()) return;
    world_.SetFreeNodes(episode_.FreeNodes());
    Random random = episode_.StartRandom();
    Build(random);
    for (std::size_t i = 0; i < episode_.Steps(); ++i) Advance(episode_.ActionOf(i));
  }

  Scene Describe() const override;

 private:
  static constexpr double kGravity = -10.0;

  void Clear();
  void Forget();
  void Build(Random& random);
  void AddTerrain();
  void AddHull(Random& random);
  void AddLeg(double side);
  StepResult Advance(std::span<const float> action);
  void ComputeState();
  void Touch(b2Contact& contact, bool begins);
  void BeginContact(b2Contact* contact) override { Touch(*contact, true); }
  void EndContact(b2Contact* contact) override { Touch(*contact, false); }

  const b2Body& Hull() const { return *bodies_[0]; }
  // Returns the lower leg 0 or 1.
  const b2Body* Foot(std::size_t foot) const { return bodies_[2 + 2 * foot]; }

  World world_;
  bool is_damaged_ = false;  // an exception has left the world in disorder
  Episode<WalkerSettings> episode_;
  WalkerTerrain terrain_;
  std::vector<b2Body*> terrain_bodies_;  // as they were added
  std::vector<b2Body*> bodies_;          // the hull, then upper and lower leg, twice
  std::array<b2RevoluteJoint*, kJoints> joints_{};
  WalkerLidar lidar_;
  std::array<bool, 2> foot_has_contact_{};
  bool has_fallen_ = false;
  bool has_shaping_ = false;
  double shaping_ = 0.0;  // what the state is worth
  std::array<double, 24> state_{};
};

// Destroys all bodies in Gymnasium's order, which the order of the next episode's contacts depends
// on.
void BipedalWalker::Clear() {
  if (is_damaged_) return Forget();
  world_->SetContactListener(nullptr);
  for (auto body = terrain_bodies_.rbegin(); body != terrain_bodies_.rend(); ++body) {
    world_->DestroyBody(*body);
  }
  for (b2Body* body : bodies_) world_->DestroyBody(body);
  terrain_bodies_.clear();
  bodies_.clear();
}

// Begins with a new world.
void BipedalWalker::Forget() {
  is_damaged_ = true;
  bodies_.clear();
  terrain_bodies_.clear();
  world_.Clear(kGravity);
  is_damaged_ = false;
}

void BipedalWalker::Build(Random& random) {
  is_damaged_ = true;
  world_->SetContactListener(this);
  has_fallen_ = false;
  has_shaping_ = false;
  foot_has_contact_ = {};
  terrain_ = WalkerTerrain::Generate(episode_.StartSettings().hardcore, random);
  AddTerrain();
  lidar_.SetTerrain(terrain_bodies_);
  AddHull(random);
  AddLeg(-1.0);
  AddLeg(1.0);
  Advance(std::array<float, kJoints>{});
}

void BipedalWalker::AddTerrain() {
  const Material material = {.friction = kGroundFriction};
  for (const auto& obstacle : terrain_.obstacles) {
    std::array<b2Vec2, 4> corners;
    std::ranges::transform(obstacle, corners.begin(), [](const WalkerTerrain::Point& point) {
      return Vector(point.x, point.y);
    });
    terrain_bodies_.push_back(world_.AddBody(b2_staticBody));
    World::AddFixture(*terrain_bodies_.back(), Polygon(corners), material);
  }
  for (std::size_t i = 0; i + 1 < terrain_.ground.size(); ++i) {
    const WalkerTerrain::Point& from = terrain_.ground[i];
    const WalkerTerrain::Point& to = terrain_.ground[i + 1];
    terrain_bodies_.push_back(world_.AddBody(b2_staticBody));
    World::AddFixture(*terrain_bodies_.back(), Edge(Vector(from.x, from.y), Vector(to.x, to.y)),
                      material);
  }
}

constexpr double kStartX = WalkerTerrain::kStep * WalkerTerrain::kStartPad / 2;
constexpr double kStartY = WalkerTerrain::kHeight + 2 * kLegHeight;

void BipedalWalker::AddHull(Random& random) {
  const std::array<b2Vec2, 5> corners = {
      Vector(-30 / kScale, 9 / kScale), Vector(6 / kScale, 9 / kScale),
      Vector(34 / kScale, 1 / kScale), Vector(34 / kScale, -8 / kScale),
      Vector(-30 / kScale, -8 / kScale)};
  bodies_.push_back(world_.AddBody(b2_dynamicBody, Vector(kStartX, kStartY)));
  World::AddFixture(
      *bodies_[0], Polygon(corners),
      {.density = 5.0, .friction = 0.1, .category = kWalker, .collides_with = kGround});
  bodies_[0]->ApplyForceToCenter(Vector(random.Uniform(-kInitialForce, kInitialForce), 0.0), true);
}

void BipedalWalker::AddLeg(double side) {
  const std::size_t first = side < 0.0 ? 0 : 2;
  const Material material = {.density = 1.0, .category = kWalker, .collides_with = kGround};
  b2Body* upper = world_.AddBody(b2_dynamicBody,
                                 Vector(kStartX, kStartY - kLegHeight / 2 - kLegDown), side * 0.05);
  World::AddFixture(*upper, Rectangle(kLegWidth / 2, kLegHeight / 2), material);
  joints_[first] = world_.AddHinge({.a = bodies_[0],
                                    .b = upper,
                                    .anchor_a = Vector(0, kLegDown),
                                    .anchor_b = Vector(0, kLegHeight / 2),
                                    .torque = kTorque,
                                    .speed = side,
                                    .lower = -0.8,
                                    .upper = 1.1});
  b2Body* lower = world_.AddBody(
      b2_dynamicBody, Vector(kStartX, kStartY - kLegHeight * 3 / 2 - kLegDown), side * 0.05);
  World::AddFixture(*lower, Rectangle(0.8 * kLegWidth / 2, kLegHeight / 2), material);
  joints_[first + 1] = world_.AddHinge({.a = upper,
                                        .b = lower,
                                        .anchor_a = Vector(0, -kLegHeight / 2),
                                        .anchor_b = Vector(0, kLegHeight / 2),
                                        .torque = kTorque,
                                        .speed = 1.0,
                                        .lower = -1.6,
                                        .upper = -0.1});
  bodies_.insert(bodies_.end(), {upper, lower});
}

StepResult BipedalWalker::Advance(std::span<const float> action) {
  is_damaged_ = true;
  for (std::size_t i = 0; i < kJoints; ++i) {
    const float speed = static_cast<float>(i % 2 == 0 ? kHipSpeed : kKneeSpeed);
    joints_[i]->SetMotorSpeed(speed * numpy::Sign(action[i]));
    joints_[i]->SetMaxMotorTorque(static_cast<float>(kTorque) *
                                  std::clamp(std::abs(action[i]), 0.0F, 1.0F));
  }
  world_.Step();
  lidar_.Cast(Hull().GetPosition());
  is_damaged_ = false;
  ComputeState();
  const double x = Hull().GetPosition().x;
  const double shaping = 130 * x / kScale - 5.0 * std::abs(state_[0]);
  // NumPy goes on in the action's precision.
  auto reward = static_cast<float>(has_shaping_ ? shaping - shaping_ : 0.0);
  shaping_ = shaping;
  has_shaping_ = true;
  for (const float torque : action) {
    reward -= static_cast<float>(0.00035 * kTorque) * std::clamp(std::abs(torque), 0.0F, 1.0F);
  }
  const bool fell = has_fallen_ || x < 0.0;
  const bool arrived = x > (WalkerTerrain::kLength - WalkerTerrain::kGrass) * WalkerTerrain::kStep;
  return {.reward = fell ? -100.0 : double{reward}, .terminated = fell || arrived};
}

void BipedalWalker::ComputeState() {
  const b2Vec2 velocity = Hull().GetLinearVelocity();
  state_[0] = Hull().GetAngle();
  state_[1] = 2.0 * Hull().GetAngularVelocity() / kFramesPerSecond;
  state_[2] = 0.3 * velocity.x * kViewWidth / kFramesPerSecond;
  state_[3] = 0.3 * velocity.y * kViewHeight / kFramesPerSecond;
  for (std::size_t leg = 0; leg < 2; ++leg) {
    const b2RevoluteJoint& hip = *joints_[2 * leg];
    const b2RevoluteJoint& knee = *joints_[2 * leg + 1];
    double* state = state_.data() + 4 + 5 * leg;
    state[0] = hip.GetJointAngle();
    state[1] = hip.GetJointSpeed() / kHipSpeed;
    state[2] = knee.GetJointAngle() + 1.0;
    state[3] = knee.GetJointSpeed() / kKneeSpeed;
    state[4] = foot_has_contact_[leg] ? 1.0 : 0.0;
  }
  for (std::size_t i = 0; i < kRays; ++i) state_[14 + i] = lidar_.Rays()[i].fraction;
}

void BipedalWalker::Touch(b2Contact& contact, bool begins) {
  for (const b2Body* body : {contact.GetFixtureA()->GetBody(), contact.GetFixtureB()->GetBody()}) {
    if (begins && body == bodies_[0]) has_fallen_ = true;
    for (std::size_t foot = 0; foot < 2; ++foot) {
      if (body == Foot(foot)) foot_has_contact_[foot] = begins;
    }
  }
}

Scene BipedalWalker::Describe() const {
  Scene scene;
  const auto add = [&scene](const std::string& name, double x, double y) {
    scene[name].insert(scene[name].end(), {x, y});
  };
  scene["obstacles"] = {};
  for (const WalkerTerrain::Point& point : terrain_.ground) add("terrain", point.x, point.y);
  for (const auto& obstacle : terrain_.obstacles) {
    for (const WalkerTerrain::Point& point : obstacle) add("obstacles", point.x, point.y);
  }
  for (const auto& cloud : terrain_.clouds) {
    for (const WalkerTerrain::Point& point : cloud) add("clouds", point.x, point.y);
  }
  for (const b2Body* body : bodies_) {
    add("bodies", body->GetPosition().x, body->GetPosition().y);
    scene["bodies"].push_back(body->GetAngle());
  }
  for (const WalkerLidar::Ray& ray : lidar_.Rays()) {
    add("lidar", ray.from.x, ray.from.y);
    add("lidar", ray.to[0], ray.to[1]);
  }
  scene["scroll"] = {Hull().GetPosition().x - kViewWidth / 5};
  // Gymnasium shows one ray after the other, one in each picture: as if every step had one.
  scene["lidar_render"] = {static_cast<double>((episode_.Steps() + 1) % 100)};
  return scene;
}

[[maybe_unused]] const bool registered = Register({
    .name = "BipedalWalker",
    .options = {{"hardcore", false, "with stumps, stairs and pits"}},
    .spec = BipedalWalker::MakeSpec,
    .create = Create<BipedalWalker>,
    .memory = [](const Options&) { return kWalkerBytes; },
    .step_together = StepTogether,
    .frame_size = [](const Options&) { return FrameSize{600, 400}; },
    .render_fps = [](const Options&) { return kFramesPerSecond; },
});

}  // namespace
}  // namespace envpool::box2d::bipedal_walker
