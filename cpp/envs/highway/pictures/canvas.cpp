#include "highway/pictures/canvas.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "highway/numbers.h"

namespace envpool::highway {

namespace {

// pygame.math.Vector2.rotate
Point RotatedPoint(Point point, double degrees) {
  constexpr double kSmall = 1e-6;
  constexpr double kQuarter = kPi / 2;
  double angle = std::fmod(degrees * kPi / 180.0, 2 * kPi);
  if (angle < 0) angle += 2 * kPi;
  if (std::fmod(angle + kSmall, kQuarter) < 2 * kSmall) {
    switch (static_cast<int>((angle + kSmall) / kQuarter)) {
      case 1: return {-point.y, point.x};
      case 2: return {-point.x, -point.y};
      case 3: return {point.y, -point.x};
      default: return point;
    }
  }
  const double sine = std::sin(angle);
  const double cosine = std::cos(angle);
  return {cosine * point.x - sine * point.y, sine * point.x + cosine * point.y};
}

// Where a square picture of this size comes to lie whose center is put at a place.
Pixel CornerOf(int size, Pixel center, double degrees) {
  const double side = size;
  Point least;
  Point most;
  for (const Point& corner : {Point{side, 0}, Point{side, -side}, Point{0, -side}}) {
    const Point there = RotatedPoint(corner, degrees);
    least = {std::min(least.x, there.x), std::min(least.y, there.y)};
    most = {std::max(most.x, there.x), std::max(most.y, there.y)};
  }
  const Point pivot = {side / 2, -side / 2};
  const Point move = RotatedPoint(pivot, degrees) - pivot;
  return {static_cast<int>(center.x - side / 2 + least.x - move.x),
          static_cast<int>(center.y - side / 2 - most.y + move.y)};
}

}  // namespace

class Canvas::Rotated {
 public:
  Rotated(int size, float degrees) : from_(size) {
    if (std::fmod(double{degrees}, 90.0) == 0.0) {
      quarters_ = ((static_cast<int>(degrees) / 90) % 4 + 4) % 4;
      width_ = height_ = size;
      return;
    }
    const double angle = degrees * .01745329251994329;
    const double sine = std::sin(angle);
    const double cosine = std::cos(angle);
    const double across = cosine * size;
    const double down = sine * size;
    width_ = height_ = static_cast<int>(std::max(std::abs(across + down), std::abs(across - down)));
    sine_ = static_cast<int>(sine * kOne);
    cosine_ = static_cast<int>(cosine * kOne);
    const std::int64_t shift = std::int64_t{from_ - width_} * kHalf;
    const std::int64_t middle = std::int64_t{width_} * kHalf;
    const auto reach = static_cast<double>((std::int64_t{width_} - 1) * kHalf);
    start_x_ = middle - static_cast<int>(cosine * reach) + shift;
    start_y_ = middle - static_cast<int>(sine * reach) + shift;
  }

  int Size() const { return width_; }

  // Returns where a pixel of the result comes from; one outside of the picture if from nowhere.
  Pixel From(int x, int y) const {
    switch (quarters_) {
      case 0: return {x, y};
      case 1: return {from_ - 1 - y, x};
      case 2: return {from_ - 1 - x, from_ - 1 - y};
      case 3: return {y, from_ - 1 - x};
      default: break;
    }
    const std::int64_t row = width_ / 2 - y;
    const std::int64_t there_x = start_x_ + sine_ * row + cosine_ * x;
    const std::int64_t there_y = start_y_ - cosine_ * row + sine_ * x;
    return {static_cast<int>(there_x >> 16), static_cast<int>(there_y >> 16)};
  }

 private:
  static constexpr std::int64_t kOne = 65536;
  static constexpr std::int64_t kHalf = kOne / 2;

  const int from_;
  int quarters_ = -1;  // if it is turned by right angles only
  int width_;
  int height_;
  std::int64_t sine_ = 0;
  std::int64_t cosine_ = 0;
  std::int64_t start_x_ = 0;
  std::int64_t start_y_ = 0;
};

Rect Canvas::Clipped(Rect rect) const {
  const int x = std::max(rect.x, 0);
  const int y = std::max(rect.y, 0);
  return {x, y, std::min(rect.x + rect.width, width_) - x,
          std::min(rect.y + rect.height, height_) - y};
}

void Canvas::Fill(Rect rect, Colour colour) {
  const Rect part = Clipped(rect);
  for (int x = part.x; x < part.x + part.width; ++x) {
    for (int y = part.y; y < part.y + part.height; ++y) pixels_[Place(x, y)] = colour;
  }
}

void Canvas::Frame(Rect rect, Colour colour) {
  const Rect part = Clipped(rect);
  if (part.width <= 2 || part.height <= 2) return Fill(rect, colour);
  Fill({rect.x, rect.y, rect.width, 1}, colour);
  Fill({rect.x, rect.y + rect.height - 1, rect.width, 1}, colour);
  Fill({rect.x, rect.y, 1, rect.height}, colour);
  Fill({rect.x + rect.width - 1, rect.y, 1, rect.height}, colour);
}

void Canvas::Line(Pixel from, Pixel to, int width, Colour colour) {
  const int across = std::abs(to.x - from.x);
  const int down = std::abs(to.y - from.y);
  const int right = to.x > from.x ? 1 : -1;
  const int below = to.y > from.y ? 1 : -1;
  const int first = 1 - width % 2 - width / 2;
  // Bresenham's line, whose pixels are as wide as it is on the side that it is not steep to.
  int error = (across > down ? across : -down) / 2;
  for (Pixel at = from;;) {
    const Rect wide = {at.x + first, at.y, width, 1};
    const Rect high = {at.x, at.y + first, 1, width};
    Fill(across <= down ? wide : high, colour);
    if (at.x == to.x && at.y == to.y) return;
    const int last = error;
    if (last > -across) error -= down, at.x += right;
    if (last < down) error += across, at.y += below;
  }
}

void Canvas::PutRotated(const Canvas& picture, Pixel center, double degrees) {
  if (!std::isfinite(degrees)) return;  // steered with an infinite action
  const int size = picture.width_;
  const Pixel corner = CornerOf(size, center, degrees);
  const Rotated rotated(size, static_cast<float>(degrees));
  const Rect part = Clipped({corner.x, corner.y, rotated.Size(), rotated.Size()});
  for (int x = part.x; x < part.x + part.width; ++x) {
    for (int y = part.y; y < part.y + part.height; ++y) {
      const auto [from_x, from_y] = rotated.From(x - corner.x, y - corner.y);
      if (from_x < 0 || from_y < 0 || from_x >= size || from_y >= size) continue;
      const Colour colour = picture.pixels_[picture.Place(from_x, from_y)];
      if (colour != Colour::kNone) pixels_[Place(x, y)] = colour;
    }
  }
}

}  // namespace envpool::highway
