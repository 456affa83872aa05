#include "box2d/walker_lidar.h"

#include <algorithm>
#include <cmath>

#include "box2d/walker_terrain.h"
#include "box2d/world.h"

namespace envpool::box2d {

namespace {

constexpr double kRange = 160 / WalkerTerrain::kScale;

// Returns how far to the right the ray comes.
float Reach(const b2RayCastInput& ray) {
  return ray.p1.x + ray.maxFraction * (ray.p2.x - ray.p1.x);
}

// Returns the direction of each ray, from straight down to nearly straight ahead, as long as it is.
std::array<std::array<double, 2>, WalkerLidar::kRays> MakeDirections() {
  std::array<std::array<double, 2>, WalkerLidar::kRays> directions;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    const double angle = 1.5 * static_cast<double>(i) / 10.0;
    directions[i] = {std::sin(angle) * kRange, std::cos(angle) * kRange};
  }
  return directions;
}

}  // namespace

void WalkerLidar::SetTerrain(std::span<b2Body* const> bodies) {
  parts_.clear();
  widest_ = 0.0F;
  for (const b2Body* body : bodies) {
    const b2Fixture& fixture = *body->GetFixtureList();
    const b2AABB& bounds = fixture.GetAABB(0);
    parts_.push_back({bounds.lowerBound.x, bounds.upperBound.x, fixture.GetShape()});
    widest_ = std::max(widest_, bounds.upperBound.x - bounds.lowerBound.x);
  }
  std::ranges::sort(parts_, {}, &Part::left);
}

// Rays go to the right, and need no part that begins beyond what they have hit. Where one would hit
// a part does not depend on the others, so that the least fraction is the same in any order.
void WalkerLidar::Cast(const b2Vec2& from) {
  static const auto directions = MakeDirections();
  std::array<b2RayCastInput, kRays> casts;
  for (std::size_t i = 0; i < kRays; ++i) {
    const auto& [right, down] = directions[i];
    rays_[i] = {from, {from.x + right, from.y - down}};
    casts[i] = {from, Vector(rays_[i].to[0], rays_[i].to[1]), 1.0F};
  }
  b2Transform origin;
  origin.SetIdentity();
  const float end = Reach(casts.back());
  auto part = std::ranges::lower_bound(parts_, from.x - widest_, {}, &Part::left);
  for (; part != parts_.end() && part->left <= end; ++part) {
    if (part->right < from.x) continue;
    for (std::size_t i = 0; i < kRays; ++i) {
      b2RayCastOutput hit;
      if (part->left > Reach(casts[i]) || !part->shape->RayCast(&hit, casts[i], origin, 0))
        continue;
      const b2Vec2 point = (1.0F - hit.fraction) * casts[i].p1 + hit.fraction * casts[i].p2;
      rays_[i].to = {point.x, point.y};
      rays_[i].fraction = casts[i].maxFraction = hit.fraction;
    }
  }
}

}  // namespace envpool::box2d
