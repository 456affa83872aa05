#include "box2d/car_racing_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "drawing/cell_surface.h"
#include "drawing/framebuffer.h"
#include "drawing/raster.h"
#include "drawing/smooth_scale.h"

namespace envpool::box2d {
namespace {

using namespace drawing;

constexpr std::size_t kStateBytes = std::size_t{kStateSize} * kStateSize * 3;

std::vector<std::uint8_t> Scaled(const Framebuffer& surface) {
  std::vector<std::uint8_t> result(kStateBytes);
  SmoothScale(surface.Pixels(), kStateSize, kStateSize, result);
  return result;
}

std::vector<std::uint8_t> Scaled(CellSurface& surface) {
  std::vector<std::uint8_t> result(kStateBytes);
  surface.Scale(result);
  return result;
}

// Draws the same shapes each time: most of them touch the surface, and some are as large as can be.
template <class Surface>
void DrawShapes(Surface& surface, unsigned seed) {
  std::minstd_rand random(seed);
  const auto between = [&random](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int i = 0; i < 60; ++i) {
    const bool is_extreme = i % 10 == 0;
    const Point centre{between(-100, kWidth + 100), between(-100, kHeight + 100)};
    const int size = between(1, 300);
    std::array<Point, 4> corners;
    for (Point& corner : corners) {
      corner = is_extreme ? Point{between(-32768, 32767), between(-32768, 32767)}
                          : Point{centre.x + between(-size, size), centre.y + between(-size, size)};
    }
    const Pixel colour = random() & 0xffffff;
    if (i % 4 == 0) {
      DrawPolygon(surface, corners, colour);
    } else if (i % 4 == 1) {
      DrawDoubleLine(surface, corners[0], corners[1], colour);
    } else {
      DrawSmoothPolygon(surface, std::span<const Point, 4>(corners), colour);
    }
  }
}

TEST(CarRacingPicture, CellsShrinkLikePixels) {
  CellSurface cells;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Framebuffer pixels;
    cells.Clear();
    DrawShapes(pixels, seed);
    DrawShapes(cells, seed);
    ASSERT_EQ(Scaled(pixels), Scaled(cells)) << "seed " << seed;
  }
}

TEST(CarRacingPicture, ManyColoursShrinkLikeFew) {
  // More than a surface remembers.
  CellSurface cells;
  Framebuffer pixels;
  for (int y = 0; y < kHeight; ++y) {
    const auto colour = static_cast<Pixel>(y * 12345);
    cells.Fill(y, y / 2, kWidth - 1, colour);
    pixels.Fill(y, y / 2, kWidth - 1, colour);
  }
  EXPECT_EQ(Scaled(pixels), Scaled(cells));
}

TEST(CarRacingPicture, ShapesOutsideDrawNothing) {
  Framebuffer surface;
  constexpr int kFar = 32767;
  for (const Point corner : {Point{-200, 0}, Point{kWidth, 0}, Point{0, -200}, Point{0, kHeight},
                             Point{-kFar, -kFar}, Point{kFar - 199, kFar - 199}}) {
    const auto [x, y] = corner;
    const std::array<Point, 4> corners = {
        {{x, y}, {x + 199, y + 20}, {x + 150, y + 199}, {x + 7, y + 100}}};
    DrawSmoothPolygon(surface, std::span<const Point, 4>(corners), 0xffffff);
    DrawPolygon(surface, corners, 0xffffff);
  }
  EXPECT_TRUE(std::ranges::all_of(surface.Pixels(), [](Pixel pixel) { return pixel == 0; }));
}

TEST(CarRacingPicture, AlphaMixesRoundingDown) {
  EXPECT_EQ(Mix(0x102030, 0xffffff, 0), 0x102030U);
  EXPECT_EQ(Mix(0x102030, 0xa0b0c0, 256), 0xa0b0c0U);
  EXPECT_EQ(Mix(MakePixel(10, 200, 0), MakePixel(11, 199, 255), 128), MakePixel(10, 199, 127));
}

CarRacingScene SceneOf(unsigned seed, std::vector<RoadPolygon>& road) {
  std::minstd_rand random(seed);
  const auto between = [&random](double low, double high) {
    return low + (high - low) * static_cast<double>(random() % 10000) / 10000;
  };
  for (int i = 0; i < 300; ++i) {
    const Position centre{between(-300, 300), between(-300, 300)};
    RoadPolygon polygon;
    for (Position& corner : polygon.corners) {
      corner = {centre.x + between(-8, 8), centre.y + between(-8, 8)};
    }
    polygon.colour = MakePixel(102, 102, 102);
    road.push_back(polygon);
  }
  CarRacingScene scene;
  scene.time = between(0, 2);
  scene.reward = between(-2000, 2000);
  scene.road = road;
  scene.hull_angle = between(-10, 10);
  scene.hull = {static_cast<float>(between(-400, 400)), static_cast<float>(between(-400, 400)),
                static_cast<float>(std::sin(scene.hull_angle)),
                static_cast<float>(std::cos(scene.hull_angle))};
  scene.hull_velocity_x = between(-300, 300);
  scene.hull_angular_velocity = between(-60, 60);
  scene.steering_angle = between(-0.4, 0.4);
  for (auto& wheel : scene.wheels) {
    wheel.pose = scene.hull;
    wheel.omega = between(-2000, 2000);
    wheel.phase = between(-100, 100);
  }
  return scene;
}

TEST(CarRacingPicture, StateIsTheVideoMadeSmall) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::vector<RoadPolygon> road;
    const CarRacingScene scene = SceneOf(seed, road);
    std::vector<std::uint8_t> state(kStateBytes);
    std::vector<std::uint8_t> video(kStateBytes);
    DrawState(scene, state);
    DrawVideo(scene, kStateSize, kStateSize, video);
    ASSERT_EQ(state, video) << "seed " << seed;
  }
}

TEST(CarRacingPicture, AnyNumbersCanBeDrawn) {
  for (const double number : {1e6, -1e6, 1e30, -1e30, std::nan("")}) {
    CarRacingScene scene;
    scene.reward = number;
    scene.hull = {static_cast<float>(number), static_cast<float>(-number), 0.0F, 1.0F};
    scene.hull_velocity_x = number;
    scene.hull_angular_velocity = number;
    scene.steering_angle = number;
    for (auto& wheel : scene.wheels) wheel = {scene.hull, number, number};
    const std::array<Position, 3> points = {{{0, 0}, {number, -number}, {-number, number}}};
    const std::array<SkidMark, 1> marks = {{{points, 0}}};
    scene.skid_marks = marks;
    std::vector<std::uint8_t> state(kStateBytes);
    DrawState(scene, state);
    std::vector<std::uint8_t> video(std::size_t{kVideoWidth} * kVideoHeight * 3);
    DrawVideo(scene, kVideoWidth, kVideoHeight, video);
    // The bar's lower left corner is black whatever there is.
    EXPECT_EQ(state[kStateBytes - std::size_t{3} * kStateSize], 0);
    EXPECT_EQ(video[video.size() - std::size_t{3} * kVideoWidth], 0);
  }
}

TEST(CarRacingPicture, VideosOfOtherSizesAreRefused) {
  std::vector<std::uint8_t> pixels(300);
  EXPECT_NO_THROW(DrawVideo({}, 10, 10, pixels));
  EXPECT_THROW(DrawVideo({}, 10, 11, pixels), std::invalid_argument);
  EXPECT_THROW(DrawVideo({}, 0, 10, pixels), std::invalid_argument);
}

}  // namespace
}  // namespace envpool::box2d
