// CarRacing's pictures, pixel for pixel those of Gymnasium 1.4.0 (envs/box2d/car_racing.py and
// car_dynamics.py) with pygame-ce 2.5.8 on x86-64.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "drawing/raster.h"

namespace envpool::box2d {

using drawing::MakePixel;
using drawing::Pixel;

// A colour's parts as Gymnasium computes them; they are drawn rounded down.
constexpr Pixel MakePixel(const std::array<double, 3>& colour) {
  return MakePixel(static_cast<unsigned>(colour[0]), static_cast<unsigned>(colour[1]),
                   static_cast<unsigned>(colour[2]));
}

struct Position {
  double x = 0.0;
  double y = 0.0;
};

// Members of Box2D's transform of a body, b2Transform.
struct BodyPose {
  float x = 0.0F;
  float y = 0.0F;
  float sine = 0.0F;
  float cosine = 1.0F;
};

struct RoadPolygon {
  std::array<Position, 4> corners;
  Pixel colour = 0;
};

// A SkidMark is a line through at least two points.
struct SkidMark {
  std::span<const Position> points;
  Pixel colour = 0;
};

// A CarRacingScene has numbers as the simulation has them; what Box2D computes in floats is
// widened.
struct CarRacingScene {
  struct Wheel {
    BodyPose pose;
    double omega = 0.0;
    double phase = 0.0;
  };

  double time = 0.0;    // since the reset, CarRacing.t
  double reward = 0.0;  // of the episode, CarRacing.reward
  Pixel background = MakePixel(102, 204, 102);
  Pixel grass = MakePixel(102, 230, 102);
  std::span<const RoadPolygon> road;  // road_poly, in that order
  BodyPose hull;
  double hull_angle = 0.0;
  double hull_velocity_x = 0.0;
  double hull_velocity_y = 0.0;
  double hull_angular_velocity = 0.0;
  std::array<Wheel, 4> wheels;
  double steering_angle = 0.0;           // the first wheel's joint.angle
  std::span<const SkidMark> skid_marks;  // car.particles, oldest first; only videos show them
};

inline constexpr int kStateSize = 96;
inline constexpr int kVideoWidth = 600;
inline constexpr int kVideoHeight = 400;

// Draws what the agent sees: kStateSize rows of as many pixels of red, green, blue; `pixels` must
// have room for all of them. Any thread may call it; each keeps half a megabyte to draw in.
void DrawState(const CarRacingScene& scene, std::span<std::uint8_t> pixels);

// Draws what render() shows, as `height` rows of `width` pixels. Throws std::invalid_argument if
// `pixels` has another size.
void DrawVideo(const CarRacingScene& scene, int width, int height, std::span<std::uint8_t> pixels);

}  // namespace envpool::box2d
