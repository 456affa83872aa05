#include "box2d/car_racing_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <stdexcept>

#include "box2d/car_shapes.h"
#include "box2d/digits.inc"
#include "box2d/race_track.h"
#include "drawing/cell_surface.h"
#include "drawing/framebuffer.h"
#include "drawing/smooth_scale.h"
#include "envpool/numpy_math.h"

namespace envpool::box2d {

using namespace drawing;

namespace {

constexpr double kScale = RaceTrack::kScale;
constexpr double kZoom = 2.7;
constexpr double kGrassSize = RaceTrack::kPlayfield / 20.0;
// A shape is skipped when none of its corners is this close to the window.
constexpr double kLargestShape = kGrassSize * std::numbers::sqrt2 * kZoom * kScale;

constexpr int kBarTop = kHeight - kHeight / 8;  // of the indicators

constexpr Pixel kBlack = 0;
constexpr Pixel kWhite = MakePixel(255, 255, 255);
constexpr Pixel kHullColour = MakePixel(204, 0, 0);
constexpr Pixel kWheelColour = kBlack;
constexpr Pixel kWheelMarkColour = MakePixel(77, 77, 77);

// pygame.math.Vector2.rotate_rad, which treats right angles specially.
class Rotation {
 public:
  explicit Rotation(double angle) {
    constexpr double kEpsilon = 1e-6;
    constexpr double kHalfPi = std::numbers::pi / 2;
    angle = std::fmod(angle, 2 * std::numbers::pi);
    if (angle < 0) angle += 2 * std::numbers::pi;
    if (std::fmod(angle + kEpsilon, kHalfPi) < 2 * kEpsilon) {
      constexpr std::array<int, 4> kSines = {0, 1, 0, -1};
      const auto quarters = static_cast<std::size_t>((angle + kEpsilon) / kHalfPi);
      sine_ = kSines[quarters % 4];
      cosine_ = kSines[(quarters + 1) % 4];
    } else {
      sine_ = std::sin(angle);
      cosine_ = std::cos(angle);
    }
  }

  Position operator()(Position p) const {
    return {cosine_ * p.x - sine_ * p.y, sine_ * p.x + cosine_ * p.y};
  }

 private:
  double sine_;
  double cosine_;
};

// Python's int(), of numbers that an int holds; what is drawn ends long before the bounds.
int ToInt(double value) {
  constexpr double kBound = 1 << 24;
  if (std::isnan(value)) return 0;
  return static_cast<int>(std::clamp(value, -kBound, kBound));
}

Point ToPoint(Position p) { return {ToInt(p.x), ToInt(p.y)}; }

// The Camera is above the car, which looks up.
class Camera {
 public:
  explicit Camera(const CarRacingScene& scene)
      : rotation_(-scene.hull_angle),
        // Zooms in during the first second.
        zoom_(0.1 * kScale * std::max(1 - scene.time, 0.0) +
              kZoom * kScale * std::min(scene.time, 1.0)) {
    const Position scroll =
        rotation_({-double{scene.hull.x} * zoom_, -double{scene.hull.y} * zoom_});
    origin_ = {kWidth / 2.0 + scroll.x, kHeight / 4.0 + scroll.y};
  }

  Position operator()(Position world) const {
    const Position turned = rotation_(world);
    return {turned.x * zoom_ + origin_.x, turned.y * zoom_ + origin_.y};
  }

 private:
  Rotation rotation_;
  double zoom_;
  Position origin_;
};

// The surface as it is before Gymnasium turns it upside down. Leaves out what the bar will cover.
template <class Surface>
class UpsideDown {
 public:
  explicit UpsideDown(Surface& surface) : surface_(surface) {}

  int FirstRow() const { return kHeight - kBarTop; }
  int EndRow() const { return kHeight; }
  void Fill(int y, int first, int last, Pixel colour) {
    surface_.Fill(kHeight - 1 - y, first, last, colour);
  }
  void Blend(int x, int y, Pixel colour, unsigned alpha) {
    surface_.Blend(x, kHeight - 1 - y, colour, alpha);
  }

 private:
  Surface& surface_;
};

template <class Surface>
void DrawGround(Surface& surface, const Camera& camera, const std::array<Position, 4>& corners,
                Pixel colour, bool may_skip = true) {
  std::array<Point, 4> points;
  bool is_near = !may_skip;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Position p = camera(corners[i]);
    is_near |= -kLargestShape <= p.x && p.x <= kWidth + kLargestShape && -kLargestShape <= p.y &&
               p.y <= kHeight + kLargestShape;
    const Point point = ToPoint(p);
    points[i] = {static_cast<std::int16_t>(point.x), static_cast<std::int16_t>(point.y)};
  }
  if (is_near) DrawSmoothPolygon(surface, std::span<const Point, 4>(points), colour);
}

template <class Surface>
void DrawRoad(Surface& surface, const Camera& camera, const CarRacingScene& scene) {
  constexpr double kBound = RaceTrack::kPlayfield;
  DrawGround(surface, camera,
             {{{kBound, kBound}, {kBound, -kBound}, {-kBound, -kBound}, {-kBound, kBound}}},
             scene.background, false);
  for (int i = -20; i < 20; i += 2) {
    for (int j = -20; j < 20; j += 2) {
      const double x = kGrassSize * i;
      const double y = kGrassSize * j;
      DrawGround(
          surface, camera,
          {{{x + kGrassSize, y}, {x, y}, {x, y + kGrassSize}, {x + kGrassSize, y + kGrassSize}}},
          scene.grass);
    }
  }
  for (const RoadPolygon& polygon : scene.road) {
    DrawGround(surface, camera, polygon.corners, polygon.colour);
  }
}

// Draws `shape`, whose corners are in the body's coordinates. Box2D places it in floats.
template <class Surface>
void DrawShape(Surface& surface, const Camera& camera, const BodyPose& pose,
               std::span<const Position> shape, Pixel colour) {
  std::array<Point, kMostVertices> points;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto x = static_cast<float>(shape[i].x * kCarUnit);
    const auto y = static_cast<float>(shape[i].y * kCarUnit);
    points[i] = ToPoint(camera(
        {pose.cosine * x - pose.sine * y + pose.x, pose.sine * x + pose.cosine * y + pose.y}));
  }
  DrawPolygon(surface, std::span<const Point>(points.data(), shape.size()), colour);
}

template <class Surface>
void DrawWheel(Surface& surface, const Camera& camera, const CarRacingScene::Wheel& wheel) {
  DrawShape(surface, camera, wheel.pose, kWheelShape, kWheelColour);
  // A mark on the tyre, cut off where it turns away.
  const double end = wheel.phase + 1.2;
  const bool begins_below = std::sin(wheel.phase) > 0;
  const bool ends_below = std::sin(end) > 0;
  if (begins_below && ends_below) return;
  double first = std::cos(wheel.phase);
  double last = std::cos(end);
  if (begins_below) first = numpy::Sign(first);
  if (ends_below) last = numpy::Sign(last);
  const std::array<Position, 4> mark = {{{-kWheelWidth, kWheelRadius * first},
                                         {kWheelWidth, kWheelRadius * first},
                                         {kWheelWidth, kWheelRadius * last},
                                         {-kWheelWidth, kWheelRadius * last}}};
  DrawShape(surface, camera, wheel.pose, mark, kWheelMarkColour);
}

template <class Surface>
void DrawCar(Surface& surface, const Camera& camera, const CarRacingScene& scene) {
  for (const CarRacingScene::Wheel& wheel : scene.wheels) DrawWheel(surface, camera, wheel);
  for (const std::span<const Position> shape : kHullShapes) {
    DrawShape(surface, camera, scene.hull, shape, kHullColour);
  }
}

template <class Surface>
void DrawSkidMarks(Surface& surface, const Camera& camera, std::span<const SkidMark> marks) {
  for (const SkidMark& mark : marks) {
    for (std::size_t i = 1; i < mark.points.size(); ++i) {
      DrawDoubleLine(surface, ToPoint(camera(mark.points[i - 1])), ToPoint(camera(mark.points[i])),
                     mark.colour);
    }
  }
}

// Units of the bar's lengths.
constexpr double kBarX = kWidth / 40.0;
constexpr double kBarY = kHeight / 40.0;

template <class Surface>
void DrawBox(Surface& surface, Position from, Position to, Pixel colour) {
  const Point a = ToPoint(from);
  const Point b = ToPoint(to);
  DrawPolygon(surface, std::array<Point, 4>{{{a.x, a.y}, {b.x, a.y}, {b.x, b.y}, {a.x, b.y}}},
              colour);
}

// Draws a column from the bar's ground up, or down.
template <class Surface>
void DrawColumn(Surface& surface, int place, double value, double length, Pixel colour) {
  if (!(std::abs(value) > 1e-4)) return;
  DrawBox(surface, {place * kBarX, kHeight - (kBarY + kBarY * length)},
          {(place + 1) * kBarX, kHeight - kBarY}, colour);
}

// Draws a level from its place to the right, or to the left.
template <class Surface>
void DrawLevel(Surface& surface, int place, double value, double length, Pixel colour) {
  if (!(std::abs(value) > 1e-4)) return;
  DrawBox(surface, {place * kBarX, kHeight - 4 * kBarY},
          {(place + length) * kBarX, kHeight - 2 * kBarY}, colour);
}

template <class Surface>
void DrawBar(Surface& surface, const CarRacingScene& scene) {
  constexpr Pixel kFrontWheels = MakePixel(0, 0, 255);
  constexpr Pixel kRearWheels = MakePixel(51, 0, 255);
  for (int y = kBarTop; y < kHeight; ++y) surface.Fill(y, 0, kWidth - 1, kBlack);
  const double vx = scene.hull_velocity_x;
  const double vy = scene.hull_velocity_y;
  const double speed = std::sqrt(vx * vx + vy * vy);
  DrawColumn(surface, 5, speed, 0.02 * speed, kWhite);
  for (int i = 0; i < 4; ++i) {
    const double omega = scene.wheels[static_cast<std::size_t>(i)].omega;
    DrawColumn(surface, 7 + i, omega, 0.01 * omega, i < 2 ? kFrontWheels : kRearWheels);
  }
  DrawLevel(surface, 20, scene.steering_angle, -10.0 * scene.steering_angle, MakePixel(0, 255, 0));
  DrawLevel(surface, 30, scene.hull_angular_velocity, -0.8 * scene.hull_angular_velocity,
            MakePixel(255, 0, 0));
}

constexpr unsigned kOpaque = 256;

constexpr unsigned FromHex(char digit) {
  return static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

template <class Surface>
void DrawGlyph(Surface& surface, const Glyph& glyph, Point at) {
  for (int y = 0; y < kGlyphRows; ++y) {
    const char* row = glyph.pixels + 2 * kGlyphColumns * y;
    for (int x = 0; x < glyph.advance; ++x) {
      const unsigned grey = FromHex(row[2 * x]) << 4 | FromHex(row[2 * x + 1]);
      if (grey == 0 || at.x + x < 0 || at.x + x >= kWidth) continue;
      surface.Blend(at.x + x, at.y + kGlyphTop + y, MakePixel(grey, grey, grey), kOpaque);
    }
  }
}

// Draws the reward. Glyphs overlap, but what they draw does not.
template <class Surface>
void DrawNumber(Surface& surface, double number) {
  std::array<char, 16> text;
  const int written = std::snprintf(text.data(), text.size(), "%04.0f", number);
  const auto length = std::min(static_cast<std::size_t>(written), text.size() - 1);
  std::array<const Glyph*, text.size()> glyphs;
  std::array<int, text.size()> pens;
  int pen = 0;  // in units of 1 / 64 pixels
  for (std::size_t i = 0; i < length; ++i) {
    const bool is_digit = '0' <= text[i] && text[i] <= '9';
    const bool follows_digit = i > 0 && '0' <= text[i - 1] && text[i - 1] <= '9';
    if (is_digit && follows_digit) pen += kKerning[text[i - 1] - '0'][text[i] - '0'];
    glyphs[i] = &kGlyphs[is_digit ? text[i] - '0' : kMinus];
    pens[i] = pen;
    pen += 64 * glyphs[i]->advance;
  }
  const int width = pen >> 6;
  const Point corner{60 - width / 2, kHeight * 15 / 16 - kTextHeight / 2};
  for (int y = 0; y < kTextHeight; ++y) {
    FillClipped(surface, corner.y + y, corner.x, corner.x + width - 1, kBlack);
  }
  for (std::size_t i = 0; i < length; ++i) {
    DrawGlyph(surface, *glyphs[i], {corner.x + (pens[i] >> 6), corner.y});
  }
}

template <class Surface>
void DrawScene(Surface& surface, const CarRacingScene& scene, bool with_skid_marks) {
  const Camera camera(scene);
  UpsideDown<Surface> world(surface);
  DrawRoad(world, camera, scene);
  if (with_skid_marks) DrawSkidMarks(world, camera, scene.skid_marks);
  DrawCar(world, camera, scene);
  DrawBar(surface, scene);
  DrawNumber(surface, scene.reward);
}

}  // namespace

void DrawState(const CarRacingScene& scene, std::span<std::uint8_t> pixels) {
  // A pointer to the surface, because each use of a thread's own object would be a call that looks
  // it up.
  thread_local const auto own_surface = std::make_unique<CellSurface>();
  CellSurface& surface = *own_surface;
  surface.Clear();
  DrawScene(surface, scene, false);
  surface.Scale(pixels);
}

void DrawVideo(const CarRacingScene& scene, int width, int height, std::span<std::uint8_t> pixels) {
  if (width < 1 || height < 1 ||
      pixels.size() != 3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {
    throw std::invalid_argument("CarRacing's picture has another size than its pixels");
  }
  Framebuffer surface;
  DrawScene(surface, scene, true);
  SmoothScale(surface.Pixels(), width, height, pixels);
}

}  // namespace envpool::box2d
