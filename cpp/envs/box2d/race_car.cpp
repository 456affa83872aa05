#include "box2d/race_car.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "box2d/car_shapes.h"
#include "envpool/numpy_math.h"

namespace envpool::box2d {

namespace {

constexpr double kFrame = 1.0 / kFramesPerSecond;
constexpr double kEnginePower = 100000000 * kCarUnit * kCarUnit;
constexpr double kWheelInertia = 4000 * kCarUnit * kCarUnit;
constexpr double kFrictionLimit = 1000000 * kCarUnit * kCarUnit;
constexpr double kGrassFriction = 0.6;
constexpr double kBrakeForce = 15;
constexpr double kGrip = 205000 * kCarUnit * kCarUnit;
constexpr std::array<Position, 4> kWheelPositions = {{{-55, 80}, {55, 80}, {-55, -82}, {55, -82}}};
constexpr std::size_t kMostTrails = 30;
constexpr std::size_t kLongestTrail = 30;

b2PolygonShape Scaled(std::span<const Position> corners) {
  std::vector<b2Vec2> vertices;
  for (const Position& corner : corners) {
    vertices.push_back(Vector(corner.x * kCarUnit, corner.y * kCarUnit));
  }
  return Polygon(vertices);
}

}  // namespace

void RaceCar::Build(World& world, double angle, double x, double y) {
  hull_ = world.AddBody(b2_dynamicBody, Vector(x, y), angle);
  for (const std::span<const Position> shape : kHullShapes) {
    World::AddFixture(*hull_, Scaled(shape), {.density = 1.0});
  }
  for (std::size_t i = 0; i < wheels_.size(); ++i) AddWheel(world, i, angle, x, y);
  trails_.clear();
}

void RaceCar::AddWheel(World& world, std::size_t index, double angle, double x, double y) {
  const Position at = {kWheelPositions[index].x * kCarUnit, kWheelPositions[index].y * kCarUnit};
  Wheel& wheel = wheels_[index];
  wheel = {};
  wheel.body = world.AddBody(b2_dynamicBody, Vector(x + at.x, y + at.y), angle);
  World::AddFixture(*wheel.body, Scaled(kWheelShape),
                    {.density = 0.1, .category = 0x0020, .collides_with = 0x0001});
  wheel.joint = world.AddHinge({.a = hull_,
                                .b = wheel.body,
                                .anchor_a = Vector(at.x, at.y),
                                .anchor_b = Vector(0, 0),
                                .torque = 180 * 900 * kCarUnit * kCarUnit,
                                .speed = 0.0,
                                .lower = -0.4,
                                .upper = 0.4});
  wheel.body->SetUserData(&wheel);
}

void RaceCar::Destroy(World& world) {
  world->DestroyBody(hull_);
  for (Wheel& wheel : wheels_) world->DestroyBody(wheel.body);
}

void RaceCar::Steer(double angle) {
  wheels_[0].steer = angle;
  wheels_[1].steer = angle;
}

// The rear wheels have the engine. It gives more gas gradually and less at once.
void RaceCar::Accelerate(double gas) {
  gas = std::clamp(gas, 0.0, 1.0);
  for (Wheel& wheel : std::span(wheels_).subspan(2)) {
    wheel.gas += std::min(gas - wheel.gas, 0.1);
  }
}

void RaceCar::Brake(double brake) {
  for (Wheel& wheel : wheels_) wheel.brake = brake;
}

void RaceCar::Drive() {
  for (Wheel& wheel : wheels_) Drive(wheel);
}

// Lets engine and brake turn the wheel.
void RaceCar::Turn(Wheel& wheel) {
  wheel.omega += kFrame * kEnginePower * wheel.gas / kWheelInertia / (std::abs(wheel.omega) + 5.0);
  if (wheel.brake >= 0.9) {
    wheel.omega = 0.0;
  } else if (wheel.brake > 0.0) {
    const double change = std::min(kBrakeForce * wheel.brake, std::abs(wheel.omega));
    wheel.omega += -numpy::Sign(wheel.omega) * change;
  }
  wheel.phase += wheel.omega * kFrame;
}

void RaceCar::Drive(Wheel& wheel) {
  const double wanted = wheel.steer - wheel.joint->GetJointAngle();
  wheel.joint->SetMotorSpeed(
      static_cast<float>(numpy::Sign(wanted) * std::min(50.0 * std::abs(wanted), 3.0)));

  const double limit =
      std::max(kFrictionLimit * kGrassFriction, wheel.tiles > 0 ? kFrictionLimit * 1.0 : 0.0);
  const b2Vec2 forward = wheel.body->GetWorldVector({0.0F, 1.0F});
  const b2Vec2 side = wheel.body->GetWorldVector({1.0F, 0.0F});
  const b2Vec2 velocity = wheel.body->GetLinearVelocity();
  const double forward_speed = double{forward.x} * velocity.x + double{forward.y} * velocity.y;
  const double side_speed = double{side.x} * velocity.x + double{side.y} * velocity.y;
  Turn(wheel);

  constexpr double kRadius = 1.0 * kWheelRadius * kCarUnit;
  double forward_force = (-forward_speed + wheel.omega * kRadius) * kGrip;
  double side_force = -side_speed * kGrip;
  const double force = std::sqrt(forward_force * forward_force + side_force * side_force);
  LeaveTrail(wheel, std::abs(force) > 2.0 * limit);
  if (std::abs(force) > limit) {
    forward_force = forward_force / force * limit;
    side_force = side_force / force * limit;
  }
  wheel.omega -= kFrame * forward_force * kRadius / kWheelInertia;
  wheel.body->ApplyForceToCenter(Vector(side_force * side.x + forward_force * forward.x,
                                        side_force * side.y + forward_force * forward.y),
                                 true);
}

void RaceCar::LeaveTrail(Wheel& wheel, bool slips) {
  if (!slips) {
    wheel.begins_to_slip = false;
    wheel.trail = nullptr;
    return;
  }
  const bool is_on_grass = wheel.tiles == 0;
  const b2Vec2 place = wheel.body->GetPosition();
  const Position here = {place.x, place.y};
  if (wheel.trail != nullptr && wheel.trail->is_on_grass == is_on_grass &&
      wheel.trail->points.size() < kLongestTrail) {
    wheel.trail->points.push_back(here);
  } else if (!wheel.begins_to_slip) {
    wheel.begins_to_slip = true;
  } else {
    // Gymnasium's trail begins with two points here too; its first one moves along with the wheel.
    wheel.trail = std::make_shared<SkidTrail>(SkidTrail{{here, here}, is_on_grass});
    wheel.begins_to_slip = false;
    trails_.push_back(wheel.trail);
    if (trails_.size() > kMostTrails) trails_.pop_front();
  }
}

}  // namespace envpool::box2d
