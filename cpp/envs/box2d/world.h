// World: how the environments make Box2D's worlds and what is in them. Shapes and joints are given
// in double precision, as in Python, and rounded to Box2D's floats here.
#pragma once

#include <Box2D/Box2D.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace envpool::box2d {

// Frames, and so steps of an environment, per second; all of Gymnasium's Box2D tasks have the same.
inline constexpr double kFramesPerSecond = 50.0;

inline b2Vec2 Vector(double x, double y) { return {static_cast<float>(x), static_cast<float>(y)}; }

inline b2PolygonShape Polygon(std::span<const b2Vec2> vertices) {
  b2PolygonShape shape;
  shape.Set(vertices.data(), static_cast<int32>(vertices.size()));
  return shape;
}

inline b2PolygonShape Rectangle(double half_width, double half_height) {
  b2PolygonShape shape;
  shape.SetAsBox(static_cast<float>(half_width), static_cast<float>(half_height));
  return shape;
}

inline b2EdgeShape Edge(const b2Vec2& from, const b2Vec2& to) {
  b2EdgeShape shape;
  shape.Set(from, to);
  return shape;
}

// A Material is what a fixture has besides its shape; the defaults are Box2D's.
struct Material {
  double density = 0.0;
  double friction = 0.2;
  double restitution = 0.0;
  std::uint16_t category = 0x0001;
  std::uint16_t collides_with = 0xFFFF;
};

// A hinge between two bodies that a motor turns within limits. Its angle counts from the one in
// which the bodies are now, as in pybox2d.
struct Hinge {
  b2Body* a = nullptr;
  b2Body* b = nullptr;
  b2Vec2 anchor_a;
  b2Vec2 anchor_b;
  double torque = 0.0;  // the most that the motor has
  double speed = 0.0;   // of the motor, radians per second
  double lower = 0.0;
  double upper = 0.0;
};

// Box2D holds so much memory for an environment in an episode, at least, as measured.
inline constexpr std::size_t kLanderBytes = 1 << 16;
inline constexpr std::size_t kWalkerBytes = 1 << 17;
inline constexpr std::size_t kRaceBytes = 1 << 18;

// A b2World in place, because it is large and some environments make a new one for each episode.
class World {
 public:
  World();

  // Forgets everything and starts with an empty world. Must be called before anything else; and
  // after an exception, such as std::bad_alloc, which leaves a world that is good for nothing else.
  void Clear(double gravity);

  b2World* operator->() { return &*world_; }
  const b2World* operator->() const { return &*world_; }

  b2Body* AddBody(b2BodyType type, const b2Vec2& position = {0.0F, 0.0F}, double angle = 0.0);
  static b2Fixture* AddFixture(b2Body& body, const b2Shape& shape, const Material& material);
  b2RevoluteJoint* AddHinge(const Hinge& hinge);

  // Simulates one frame.
  void Step() { world_->Step(static_cast<float>(1.0 / kFramesPerSecond), 6 * 30, 2 * 30); }

  // Returns the one thing that an empty world keeps of those that were in it: the order in which
  // its tree of shapes hands out nodes. Contacts are solved in the order of these.
  std::vector<std::int32_t> FreeNodes() const;

  // Puts that order into an empty world. Throws std::invalid_argument if these are no such nodes.
  void SetFreeNodes(std::span<const std::int32_t> nodes);

 private:
  std::optional<b2World> world_;
};

}  // namespace envpool::box2d
