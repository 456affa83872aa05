#include "gfootball/pitch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace envpool::gfootball {
namespace {

using Colour = std::array<std::uint8_t, 3>;

constexpr Colour kGrass = {58, 125, 61};
constexpr Colour kLine = {225, 235, 225};
constexpr Colour kLeftTeam = {214, 52, 52};
constexpr Colour kRightTeam = {48, 92, 210};
constexpr Colour kBall = {250, 220, 70};

// Of the pitch, in its coordinates, whose unit along is 54.4 metres and across 83.6.
constexpr double kMetre = 1 / 54.4;
constexpr double kStretch = 83.6 / 54.4;  // of y, so that circles are round
constexpr double kMargin = 4 * kMetre;
constexpr double kHalfWidth = 1 + kMargin;
constexpr double kHalfHeight = 36 * kMetre + kMargin;
constexpr double kLineWidth = 0.3 * kMetre;
constexpr double kPlayer = 1.3 * kMetre;
constexpr double kRim = 0.5 * kMetre;

// A Canvas has its origin in the centre spot, and both axes in units of half the pitch's length.
class Canvas {
 public:
  explicit Canvas(const Frame& frame)
      : frame_(frame),
        scale_(std::min(frame.width / (2 * kHalfWidth), frame.height / (2 * kHalfHeight))) {}

  // Paints where `is_inside(x, y)`, within a box around a point.
  template <class IsInside>
  void Paint(double x, double y, double half_width, double half_height, Colour colour,
             const IsInside& is_inside) {
    const auto column = [this](double at) { return at * scale_ + frame_.width / 2.0; };
    const auto row = [this](double at) { return at * scale_ + frame_.height / 2.0; };
    const auto clip = [](double at, int size) {
      return static_cast<int>(std::clamp(at, 0.0, static_cast<double>(size)));
    };
    const int last_row = clip(std::ceil(row(y + half_height)), frame_.height);
    const int last_column = clip(std::ceil(column(x + half_width)), frame_.width);
    for (int i = clip(row(y - half_height), frame_.height); i < last_row; ++i) {
      for (int j = clip(column(x - half_width), frame_.width); j < last_column; ++j) {
        const double inside_x = (j + 0.5 - frame_.width / 2.0) / scale_ - x;
        const double inside_y = (i + 0.5 - frame_.height / 2.0) / scale_ - y;
        if (is_inside(inside_x, inside_y)) Put(i, j, colour);
      }
    }
  }

  void Disk(double x, double y, double radius, Colour colour) {
    Paint(x, y, radius, radius, colour,
          [radius](double dx, double dy) { return dx * dx + dy * dy <= radius * radius; });
  }

  void Ring(double x, double y, double radius) {
    Paint(x, y, radius + kLineWidth, radius + kLineWidth, kLine, [radius](double dx, double dy) {
      return std::abs(std::sqrt(dx * dx + dy * dy) - radius) <= kLineWidth / 2;
    });
  }

  // The outline of a rectangle.
  void Box(double x, double y, double half_width, double half_height) {
    const auto is_line = [=](double dx, double dy) {
      return std::max(std::abs(dx) - half_width, std::abs(dy) - half_height) >= -kLineWidth;
    };
    Paint(x, y, half_width, half_height, kLine, is_line);
  }

 private:
  void Put(int row, int column, Colour colour) {
    const auto pixel = static_cast<std::size_t>(row) * static_cast<std::size_t>(frame_.width) +
                       static_cast<std::size_t>(column);
    std::ranges::copy(colour, frame_.pixels.begin() + static_cast<std::ptrdiff_t>(3 * pixel));
  }

  const Frame& frame_;
  const double scale_;  // pixels
};

void DrawLines(Canvas& canvas) {
  canvas.Box(0, 0, 1, 36 * kMetre);
  canvas.Box(0, 0, kLineWidth / 2, 36 * kMetre);
  canvas.Ring(0, 0, 9.15 * kMetre);
  for (const double side : {-1.0, 1.0}) {
    canvas.Box(side * (1 - 8.25 * kMetre), 0, 8.25 * kMetre, 20.15 * kMetre);
    canvas.Box(side * (1 - 2.75 * kMetre), 0, 2.75 * kMetre, 9.15 * kMetre);
    canvas.Box(side * (1 + 1.25 * kMetre), 0, 1.25 * kMetre, 3.7 * kMetre);
  }
}

void DrawTeam(Canvas& canvas, const Team& team, Colour colour) {
  for (std::size_t i = 0; i < team.roles.size(); ++i) {
    if (!team.active[i]) continue;
    const double x = team.positions[2 * i];
    const double y = team.positions[2 * i + 1] * kStretch;
    const bool is_controlled =
        std::ranges::find(team.controlled, static_cast<int>(i)) != team.controlled.end();
    if (is_controlled) canvas.Disk(x, y, kPlayer + kRim, {255, 255, 255});
    canvas.Disk(x, y, kPlayer, colour);
  }
}

}  // namespace

void DrawPitch(const Observed& seen, const Frame& frame) {
  for (std::size_t i = 0; i < frame.pixels.size(); ++i) frame.pixels[i] = kGrass[i % 3];
  Canvas canvas(frame);
  DrawLines(canvas);
  DrawTeam(canvas, seen.right, kRightTeam);
  DrawTeam(canvas, seen.left, kLeftTeam);
  canvas.Disk(seen.ball[0], seen.ball[1] * kStretch, kPlayer / 2, kBall);
}

}  // namespace envpool::gfootball
