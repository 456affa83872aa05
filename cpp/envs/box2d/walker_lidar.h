// WalkerLidar: the rays with which BipedalWalker sees the terrain.
#pragma once

#include <Box2D/Box2D.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace envpool::box2d {

class WalkerLidar {
 public:
  static constexpr std::size_t kRays = 10;

  struct Ray {
    b2Vec2 from;
    std::array<double, 2> to{};  // in double precision, unless it hits the terrain
    float fraction = 1.0F;       // of its range, up to where it hits the terrain first
  };

  // The rays see these bodies, which have a fixture each and don't move as long as they are used.
  void SetTerrain(std::span<b2Body* const> bodies);

  // Gives the rays what b2World::RayCast gives them, which finds terrain and body parts in its
  // tree: there is little terrain within their range, and it is found faster from left to right.
  void Cast(const b2Vec2& from);

  const std::array<Ray, kRays>& Rays() const { return rays_; }

 private:
  // A Part is a body of the terrain; it lies well within its bounds.
  struct Part {
    float left;
    float right;
    const b2Shape* shape;
  };

  std::vector<Part> parts_;  // from left to right
  float widest_ = 0.0F;      // of their bounds
  std::array<Ray, kRays> rays_;
};

}  // namespace envpool::box2d
