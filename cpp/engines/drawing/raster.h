// Raster: draws polygons and lines pixel for pixel like pygame-ce 2.5.8: pygame.gfxdraw's aapolygon
// and filled_polygon (SDL_gfx; its integer arithmetic is kept), pygame.draw's polygon and lines.
//
// A Surface has the size kWidth x kHeight and keeps the rows from FirstRow() to before EndRow();
// nothing is drawn to the others. It has
//   void Fill(int y, int first, int last, Pixel colour)       paints columns first..last
//   void Blend(int x, int y, Pixel colour, unsigned alpha)    paints with alpha / 256 of the colour
// which are called with pixels that it keeps only.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>

namespace envpool::drawing {

inline constexpr int kWidth = 1000;
inline constexpr int kHeight = 800;
inline constexpr std::size_t kMostVertices = 8;

using Pixel = std::uint32_t;  // red | green << 8 | blue << 16

constexpr Pixel MakePixel(unsigned red, unsigned green, unsigned blue) {
  return red | green << 8 | blue << 16;
}

struct Point {
  int x = 0;
  int y = 0;
};

// Returns a pixel between two others; each channel is rounded down.
constexpr Pixel Mix(Pixel under, Pixel over, unsigned alpha) {
  constexpr Pixel kRedBlue = 0xff00ff;
  constexpr Pixel kGreen = 0xff;
  const Pixel rest = 256 - alpha;
  const Pixel red_blue = ((under & kRedBlue) * rest + (over & kRedBlue) * alpha) >> 8;
  const Pixel green = ((under >> 8 & kGreen) * rest + (over >> 8 & kGreen) * alpha);
  return (red_blue & kRedBlue) | (green & (kGreen << 8));
}

// Sorts a handful of values.
template <class Value, std::size_t kSize>
constexpr void SortFew(std::array<Value, kSize>& values, std::size_t size) {
  for (std::size_t i = 1; i < size; ++i) {
    for (std::size_t j = i; j > 0 && values[j] < values[j - 1]; --j) {
      std::swap(values[j], values[j - 1]);
    }
  }
}

// Columns first..last in either order, whatever of them there is.
template <class Surface>
void FillClipped(Surface& surface, int y, int first, int last, Pixel colour) {
  if (first > last) std::swap(first, last);
  first = std::max(first, 0);
  last = std::min(last, kWidth - 1);
  if (first > last || y < surface.FirstRow() || y >= surface.EndRow()) return;
  surface.Fill(y, first, last, colour);
}

namespace gfx {

struct Span {
  int first;
  int last;  // before the first if there is nothing

  bool Has(int x) const { return first <= x && x <= last; }
};

// A Crossing is where an edge crosses one row after the other, in units of 1 / 65536 pixels.
class Crossing {
 public:
  Crossing() = default;
  // Begins with row y of the edge from `upper` down to `lower`.
  Crossing(Point upper, Point lower, int y)
      : origin_(std::int64_t{kOne} * upper.x),
        width_(lower.x - upper.x),
        height_(static_cast<std::uint32_t>(lower.y - upper.y)) {
    const std::uint32_t way = kOne * static_cast<std::uint32_t>(y - upper.y);
    share_ = way / height_;
    rest_ = way % height_;
    step_ = kOne / height_;
    step_rest_ = kOne % height_;
  }

  std::int64_t X() const { return std::int64_t{share_} * width_ + origin_; }

  void Next() {
    rest_ += step_rest_;
    const bool is_over = rest_ >= height_;
    rest_ -= is_over ? height_ : 0;
    share_ += step_ + (is_over ? 1 : 0);
  }

 private:
  static constexpr std::uint32_t kOne = 65536;

  std::int64_t origin_ = 0;
  std::int64_t width_ = 0;
  std::uint32_t height_ = 1;
  std::uint32_t share_ = 0;  // of the edge, rounded down: it is share_ + rest_ / height_
  std::uint32_t rest_ = 0;
  std::uint32_t step_ = 0;
  std::uint32_t step_rest_ = 0;
};

inline Span SpanBetween(std::int64_t left, std::int64_t right) {
  const auto round = [](std::int64_t x) { return static_cast<int>((x + 32768) >> 16); };
  Span span{round(left + 1), round(right - 1)};
  if (span.first > span.last) std::swap(span.first, span.last);
  return {std::max(span.first, 0), std::min(span.last, kWidth - 1)};
}

// Spans are what SDL_gfx's filled_polygon paints: up to two spans a row. (Four corners make no
// more.)
class Spans {
 public:
  Spans(std::span<const Point, 4> corners, int first_row, int end_row);

  int First() const { return first_; }
  int End() const { return end_; }
  const std::array<Span, 2>& operator[](int y) const { return rows_[static_cast<std::size_t>(y)]; }
  // Requires First() <= y < End().
  bool Has(int x, int y) const {
    const auto& row = (*this)[y];
    return row[0].Has(x) || (is_double_ && row[1].Has(x));
  }

 private:
  // Rows between two corners, `end` not included, are all crossed by the same edges.
  void AddRows(std::span<const Point, 4> corners, int top, int end, bool is_last);
  void AddSimpleRows(Crossing a, Crossing b, int top, int end);
  // Adds rows that no edges or four cross, as when the polygon is flat or crosses itself.
  void AddDoubleRows(std::array<Crossing, 4> crossings, std::size_t size, int top, int end);

  int first_;
  int end_;
  bool is_double_ = false;                         // whether any row has a second span
  std::array<std::array<Span, 2>, kHeight> rows_;  // set from first_ on
};

// Clips a line as SDL_gfx does, in floats. Returns false if nothing is left.
bool Clip(Point& from, Point& to);

// The pixels strictly between the ends of a line that is not straight, each split between two. They
// are drawn only where the polygon's inside will not cover them. The ends are on the surface.
template <class Surface>
void DrawWuLine(Surface& surface, const Spans& inside, Point upper, Point lower, Pixel colour) {
  const int direction = lower.x >= upper.x ? 1 : -1;
  const int width = std::abs(lower.x - upper.x);
  const int height = lower.y - upper.y;
  const int first_row = surface.FirstRow();
  const auto blend = [&surface, &inside, colour](int x, int y, std::uint64_t weight) {
    const auto alpha = static_cast<unsigned>((255 * weight) >> 8);  // of an opaque colour, 255
    if (!inside.Has(x, y) && alpha != 0) surface.Blend(x, y, colour, alpha);
  };
  // The line drifts this far to the side per pixel; 32 bits are fractions, of which 16 are used.
  const auto drift = [](int way, int length) {
    return static_cast<std::uint64_t>((way << 16) / length) << 16;
  };
  if (height > width) {
    const std::uint64_t step = drift(width, height);
    const int end = std::min(height, surface.EndRow() - upper.y);
    for (int i = std::max(1, first_row - upper.y); i < end; ++i) {
      const std::uint64_t drifted = static_cast<std::uint64_t>(i) * step;
      const int x = upper.x + direction * static_cast<int>(drifted >> 32);
      const int next = x + direction;
      const std::uint64_t weight = drifted >> 24 & 255;
      blend(x, upper.y + i, 255 - weight);
      if (0 <= next && next < kWidth) blend(next, upper.y + i, weight);
    }
  } else {
    const std::uint64_t step = drift(height, width);
    for (int i = 1; i < width; ++i) {
      const std::uint64_t drifted = static_cast<std::uint64_t>(i) * step;
      const int x = upper.x + direction * i;
      const int y = upper.y + static_cast<int>(drifted >> 32);  // at least one above `lower`
      const std::uint64_t weight = drifted >> 24 & 255;
      if (y >= first_row) blend(x, y, 255 - weight);
      if (y + 1 >= first_row) blend(x, y + 1, weight);
    }
  }
}

// A line without its last pixel, unless it is straight.
template <class Surface>
void DrawSmoothLine(Surface& surface, const Spans& inside, Point from, Point to, Pixel colour) {
  if (!Clip(from, to)) return;
  if (from.y == to.y) return FillClipped(surface, from.y, from.x, to.x, colour);
  const Point upper = from.y <= to.y ? from : to;
  const Point lower = from.y <= to.y ? to : from;
  if (from.x == to.x) {
    for (int y = upper.y; y <= lower.y; ++y) FillClipped(surface, y, from.x, from.x, colour);
    return;
  }
  FillClipped(surface, from.y, from.x, from.x, colour);
  DrawWuLine(surface, inside, upper, lower, colour);
}

}  // namespace gfx

// gfxdraw.aapolygon and then gfxdraw.filled_polygon, of corners within 16 bits.
template <class Surface>
void DrawSmoothPolygon(Surface& surface, std::span<const Point, 4> corners, Pixel colour) {
  const auto [left, right] = std::ranges::minmax(corners, {}, &Point::x);
  const auto [top, bottom] = std::ranges::minmax(corners, {}, &Point::y);
  if (right.x < 0 || left.x >= kWidth || bottom.y < 0 || top.y >= kHeight) return;
  const gfx::Spans inside(corners, surface.FirstRow(), surface.EndRow());
  for (std::size_t i = 0; i < corners.size(); ++i) {
    gfx::DrawSmoothLine(surface, inside, corners[i], corners[(i + 1) % corners.size()], colour);
  }
  for (int y = inside.First(); y < inside.End(); ++y) {
    for (const gfx::Span& span : inside[y]) {
      if (span.first <= span.last) surface.Fill(y, span.first, span.last, colour);
    }
  }
}

namespace draw {

// Returns where an edge crosses row y. pygame rounds down and up in turn, in the order of the
// edges.
inline int CrossingOf(Point upper, Point lower, int y, bool rounds_up) {
  const double width = lower.x - upper.x;
  const double height = lower.y - upper.y;
  const double x = (y - upper.y) * width / height + upper.x;
  const int whole = static_cast<int>(x);
  return rounds_up ? whole + (whole < x ? 1 : 0) : whole - (whole > x ? 1 : 0);
}

}  // namespace draw

// pygame.draw.polygon, of at least four corners.
template <class Surface>
void DrawPolygon(Surface& surface, std::span<const Point> corners, Pixel colour) {
  const auto [lowest, highest] =
      std::ranges::minmax_element(corners, {}, [](const Point& p) { return p.y; });
  const int top = lowest->y;
  const int bottom = highest->y;
  if (top == bottom) {
    const auto [left, right] =
        std::ranges::minmax_element(corners, {}, [](const Point& p) { return p.x; });
    return FillClipped(surface, top, left->x, right->x, colour);
  }
  const auto previous = [corners](std::size_t i) {
    return corners[i == 0 ? corners.size() - 1 : i - 1];
  };
  const int end = std::min(bottom, surface.EndRow() - 1);
  for (int y = std::max(top, surface.FirstRow()); y <= end; ++y) {
    std::array<int, kMostVertices> crossings;
    std::size_t size = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      Point upper = previous(i);
      Point lower = corners[i];
      if (upper.y > lower.y) std::swap(upper, lower);
      const bool crosses = upper.y <= y && y < lower.y;
      if (upper.y == lower.y || !(crosses || (y == bottom && lower.y == bottom))) continue;
      crossings[size] = draw::CrossingOf(upper, lower, y, size % 2 != 0);
      ++size;
    }
    SortFew(crossings, size);
    for (std::size_t i = 0; i + 1 < size; i += 2) {
      FillClipped(surface, y, crossings[i], crossings[i + 1], colour);
    }
  }
  // Level edges whose inside is above them only.
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const int y = corners[i].y;
    if (top < y && y < bottom && previous(i).y == y) {
      FillClipped(surface, y, corners[i].x, previous(i).x, colour);
    }
  }
}

// A line of pygame.draw.lines with width 2: each point is doubled to the right or downwards.
template <class Surface>
void DrawDoubleLine(Surface& surface, Point from, Point to, Pixel colour) {
  const std::int64_t width = std::abs(to.x - from.x);
  const std::int64_t height = std::abs(to.y - from.y);
  const bool is_steep = width <= height;
  const std::int64_t length = std::max(width, height);
  const std::int64_t drift = std::min(width, height);
  const std::int64_t divisor = std::max<std::int64_t>(length, 1);
  const Point direction{from.x < to.x ? 1 : -1, from.y < to.y ? 1 : -1};
  // The loop visits those points of the line that can be on the surface.
  const int start = is_steep ? from.y : from.x;
  const int edge = (is_steep ? kHeight : kWidth) - 1;
  const bool is_rising = (is_steep ? direction.y : direction.x) > 0;
  const auto first = std::max<std::int64_t>(is_rising ? -start : start - edge, 0);
  const auto last = std::min<std::int64_t>(is_rising ? edge - start : start, length);
  for (std::int64_t i = first; i <= last; ++i) {
    const auto way = static_cast<int>(i);
    // The line has drifted this far, rounded; a half is rounded down.
    const auto side = static_cast<int>((i * drift + divisor - 1 - length / 2) / divisor);
    const int x = from.x + direction.x * (is_steep ? side : way);
    const int y = from.y + direction.y * (is_steep ? way : side);
    FillClipped(surface, y, x, is_steep ? x + 1 : x, colour);
    if (!is_steep) FillClipped(surface, y + 1, x, x, colour);
  }
}

}  // namespace envpool::drawing
