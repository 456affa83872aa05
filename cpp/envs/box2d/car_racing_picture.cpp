#include "box2d/car_racing_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "box2d/cell_surface.h"
#include "box2d/digits.h"
#include "box2d/framebuffer.h"
#include "box2d/smooth_scale.h"

namespace envpool::box2d {

namespace {

constexpr double kScale = 6.0;
constexpr double kZoom = 2.7;
constexpr double kPlayfield = 2000 / kScale;
constexpr double kGrassSize = kPlayfield / 20.0;
// A shape is skipped when none of its corners is this close to the window.
constexpr double kLargestShape = kGrassSize * std::numbers::sqrt2 * kZoom * kScale;

constexpr int kBarTop = kHeight - kHeight / 8;  // of the indicators

constexpr Pixel kBlack = 0;
constexpr Pixel kWhite = MakePixel(255, 255, 255);
constexpr Pixel kHullColour = MakePixel(204, 0, 0);
constexpr Pixel kWheelColour = kBlack;
constexpr Pixel kWheelMarkColour = MakePixel(77, 77, 77);

// The car's shapes, in units of kCarUnit.
constexpr double kCarUnit = 0.02;
constexpr double kWheelRadius = 27;
constexpr double kWheelWidth = 14;
constexpr std::array<Position, 4> kWheelShape = {{{-kWheelWidth, kWheelRadius},
                                                  {kWheelWidth, kWheelRadius},
                                                  {kWheelWidth, -kWheelRadius},
                                                  {-kWheelWidth, -kWheelRadius}}};
constexpr std::array<Position, 4> kFrontWing = {{{-60, 130}, {60, 130}, {60, 110}, {-60, 110}}};
constexpr std::array<Position, 4> kNose = {{{-15, 120}, {15, 120}, {20, 20}, {-20, 20}}};
constexpr std::array<Position, 8> kBody = {
    {{25, 20}, {50, -10}, {50, -40}, {20, -90}, {-20, -90}, {-50, -40}, {-50, -10}, {-25, 20}}};
constexpr std::array<Position, 4> kRearWing = {{{-50, -120}, {50, -120}, {50, -90}, {-50, -90}}};

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

// Where the camera is: above the car, which looks up.
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

  int FirstRow() const { return kHeight - std::min(surface_.EndRow(), kBarTop); }
  int EndRow() const { return kHeight - surface_.FirstRow(); }
  void Fill(int y, int first, int last, Pixel colour) {
    surface_.Fill(kHeight - 1 - y, first, last, colour);
  }
  void Blend(int x, int y, Pixel colour, unsigned alpha) {
    surface_.Blend(x, kHeight - 1 - y, colour, alpha);
  }

 private:
  Surface& surface_;
};

// A polygon as the camera sees it.
template <std::size_t kMostCorners>
struct Shape {
  std::array<Point, kMostCorners> corners;
  std::size_t size = kMostCorners;
  Pixel colour = 0;
};

// What there is to draw. It is drawn band by band, so it is looked at through the camera before.
struct View {
  std::vector<Shape<4>> ground;  // smooth
  std::vector<Shape<kMostVertices>> car;
};

void AddGround(View& view, const Camera& camera, const std::array<Position, 4>& corners,
               Pixel colour, bool may_skip = true) {
  Shape<4> shape;
  shape.colour = colour;
  bool is_near = !may_skip;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Position p = camera(corners[i]);
    is_near |= -kLargestShape <= p.x && p.x <= kWidth + kLargestShape && -kLargestShape <= p.y &&
               p.y <= kHeight + kLargestShape;
    const Point point = ToPoint(p);
    shape.corners[i] = {static_cast<std::int16_t>(point.x), static_cast<std::int16_t>(point.y)};
  }
  if (is_near) view.ground.push_back(shape);
}

void AddRoad(View& view, const Camera& camera, const CarRacingScene& scene) {
  constexpr double kBound = kPlayfield;
  AddGround(view, camera,
            {{{kBound, kBound}, {kBound, -kBound}, {-kBound, -kBound}, {-kBound, kBound}}},
            scene.background, false);
  for (int i = -20; i < 20; i += 2) {
    for (int j = -20; j < 20; j += 2) {
      const double x = kGrassSize * i;
      const double y = kGrassSize * j;
      AddGround(
          view, camera,
          {{{x + kGrassSize, y}, {x, y}, {x, y + kGrassSize}, {x + kGrassSize, y + kGrassSize}}},
          scene.grass);
    }
  }
  for (const RoadPolygon& polygon : scene.road) {
    AddGround(view, camera, polygon.corners, polygon.colour);
  }
}

// `corners` are in the body's coordinates. Box2D places it in floats.
void AddPart(View& view, const Camera& camera, const BodyPose& pose,
             std::span<const Position> corners, Pixel colour) {
  Shape<kMostVertices>& shape = view.car.emplace_back();
  shape.size = corners.size();
  shape.colour = colour;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const auto x = static_cast<float>(corners[i].x * kCarUnit);
    const auto y = static_cast<float>(corners[i].y * kCarUnit);
    shape.corners[i] = ToPoint(camera(
        {pose.cosine * x - pose.sine * y + pose.x, pose.sine * x + pose.cosine * y + pose.y}));
  }
}

void AddWheel(View& view, const Camera& camera, const CarRacingScene::Wheel& wheel) {
  AddPart(view, camera, wheel.pose, kWheelShape, kWheelColour);
  // A mark on the tyre, cut off where it turns away.
  const double end = wheel.phase + 1.2;
  const bool begins_below = std::sin(wheel.phase) > 0;
  const bool ends_below = std::sin(end) > 0;
  if (begins_below && ends_below) return;
  const auto sign = [](double x) { return x > 0 ? 1.0 : (x < 0 ? -1.0 : 0.0); };
  double first = std::cos(wheel.phase);
  double last = std::cos(end);
  if (begins_below) first = sign(first);
  if (ends_below) last = sign(last);
  const std::array<Position, 4> mark = {{{-kWheelWidth, kWheelRadius * first},
                                         {kWheelWidth, kWheelRadius * first},
                                         {kWheelWidth, kWheelRadius * last},
                                         {-kWheelWidth, kWheelRadius * last}}};
  AddPart(view, camera, wheel.pose, mark, kWheelMarkColour);
}

void AddCar(View& view, const Camera& camera, const CarRacingScene& scene) {
  for (const CarRacingScene::Wheel& wheel : scene.wheels) AddWheel(view, camera, wheel);
  AddPart(view, camera, scene.hull, kFrontWing, kHullColour);
  AddPart(view, camera, scene.hull, kNose, kHullColour);
  AddPart(view, camera, scene.hull, kBody, kHullColour);
  AddPart(view, camera, scene.hull, kRearWing, kHullColour);
}

void LookAt(const CarRacingScene& scene, const Camera& camera, View& view) {
  view.ground.clear();
  view.car.clear();
  AddRoad(view, camera, scene);
  AddCar(view, camera, scene);
}

template <class Surface>
void DrawRoad(Surface& surface, const View& view) {
  for (const Shape<4>& shape : view.ground) {
    DrawSmoothPolygon(surface, std::span<const Point, 4>(shape.corners), shape.colour);
  }
}

template <class Surface>
void DrawCar(Surface& surface, const View& view) {
  for (const Shape<kMostVertices>& shape : view.car) {
    DrawPolygon(surface, std::span(shape.corners).first(shape.size), shape.colour);
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

// A column from the bar's ground up, or down.
template <class Surface>
void DrawColumn(Surface& surface, int place, double value, double length, Pixel colour) {
  if (!(std::abs(value) > 1e-4)) return;
  DrawBox(surface, {place * kBarX, kHeight - (kBarY + kBarY * length)},
          {(place + 1) * kBarX, kHeight - kBarY}, colour);
}

// To the right, or to the left.
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
  for (int y = std::max(kBarTop, surface.FirstRow()); y < surface.EndRow(); ++y) {
    surface.Fill(y, 0, kWidth - 1, kBlack);
  }
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
    const char* row = glyph.rows[y];
    const int surface_y = at.y + kGlyphTop + y;
    if (surface_y < surface.FirstRow() || surface_y >= surface.EndRow()) continue;
    for (int x = 0; x < glyph.advance; ++x) {
      const unsigned grey = FromHex(row[2 * x]) << 4 | FromHex(row[2 * x + 1]);
      if (grey == 0 || at.x + x < 0 || at.x + x >= kWidth) continue;
      surface.Blend(at.x + x, surface_y, MakePixel(grey, grey, grey), kOpaque);
    }
  }
}

// The reward. Glyphs overlap, but what they draw does not.
template <class Surface>
void DrawNumber(Surface& surface, double number) {
  constexpr int kTop = kHeight * 15 / 16 - kTextHeight / 2;
  if (surface.EndRow() <= kTop || surface.FirstRow() >= kTop + kTextHeight) return;
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
  const Point corner{60 - width / 2, kTop};
  for (int y = 0; y < kTextHeight; ++y) {
    FillClipped(surface, corner.y + y, corner.x, corner.x + width - 1, kBlack);
  }
  for (std::size_t i = 0; i < length; ++i) {
    DrawGlyph(surface, *glyphs[i], {corner.x + (pens[i] >> 6), corner.y});
  }
}

template <class Surface>
void DrawIndicators(Surface& surface, const CarRacingScene& scene) {
  DrawBar(surface, scene);
  DrawNumber(surface, scene.reward);
}

}  // namespace

void DrawState(const CarRacingScene& scene, std::span<std::uint8_t> pixels) {
  // By pointers, because each use of a thread's own object would be a call that looks it up.
  thread_local const auto own_surface = std::make_unique<CellSurface>();
  thread_local const auto own_view = std::make_unique<View>();
  CellSurface& surface = *own_surface;
  View& view = *own_view;
  LookAt(scene, Camera(scene), view);
  for (std::size_t band = 0; band < CellSurface::kBands; ++band) {
    surface.Begin(band);
    UpsideDown world(surface);
    DrawRoad(world, view);
    DrawCar(world, view);
    DrawIndicators(surface, scene);
    surface.Scale(pixels);
  }
}

void DrawVideo(const CarRacingScene& scene, int width, int height, std::span<std::uint8_t> pixels) {
  if (width < 1 || height < 1 ||
      pixels.size() != 3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {
    throw std::invalid_argument("CarRacing's picture has another size than its pixels");
  }
  const Camera camera(scene);
  View view;
  LookAt(scene, camera, view);
  Framebuffer surface;
  UpsideDown world(surface);
  DrawRoad(world, view);
  DrawSkidMarks(world, camera, scene.skid_marks);
  DrawCar(world, view);
  DrawIndicators(surface, scene);
  SmoothScale(surface.Pixels(), width, height, pixels);
}

}  // namespace envpool::box2d
