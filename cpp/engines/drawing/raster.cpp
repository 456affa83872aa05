#include "drawing/raster.h"

namespace envpool::drawing {

namespace gfx {

namespace {

enum Outside : unsigned { kLeft = 1, kRight = 2, kBelow = 4, kAbove = 8 };

unsigned OutsideOf(Point p) {
  unsigned code = 0;
  if (p.x < 0) {
    code |= kLeft;
  } else if (p.x >= kWidth) {
    code |= kRight;
  }
  if (p.y < 0) {
    code |= kAbove;
  } else if (p.y >= kHeight) {
    code |= kBelow;
  }
  return code;
}

// Coordinates have 16 bits, also while they are computed.
int Moved(int from, float by) { return static_cast<std::int16_t>(from + static_cast<int>(by)); }

constexpr Span kNothing = {1, 0};

}  // namespace

bool Clip(Point& from, Point& to) {
  unsigned from_code = OutsideOf(from);
  unsigned to_code = OutsideOf(to);
  while ((from_code | to_code) != 0) {
    if ((from_code & to_code) != 0) return false;
    if (from_code == 0) {
      std::swap(from, to);
      std::swap(from_code, to_code);
    }
    const bool is_upright = from.x == to.x;
    const float slope =
        is_upright ? 1.0F : static_cast<float>(to.y - from.y) / static_cast<float>(to.x - from.x);
    if ((from_code & (kLeft | kRight)) != 0) {
      const int edge = (from_code & kLeft) != 0 ? 0 : kWidth - 1;
      from.y = Moved(from.y, static_cast<float>(edge - from.x) * slope);
      from.x = edge;
    } else {
      const int edge = (from_code & kBelow) != 0 ? kHeight - 1 : 0;
      if (!is_upright) from.x = Moved(from.x, static_cast<float>(edge - from.y) / slope);
      from.y = edge;
    }
    from_code = OutsideOf(from);
    to_code = OutsideOf(to);
  }
  return true;
}

Spans::Spans(std::span<const Point, 4> corners, int first_row, int end_row) {
  std::array<int, 4> ys;
  std::ranges::transform(corners, ys.begin(), &Point::y);
  std::ranges::sort(ys);
  first_ = std::max(ys.front(), first_row);
  end_ = std::max(first_, std::min(ys.back() + 1, end_row));
  for (std::size_t i = 0; i + 1 < ys.size(); ++i) {
    AddRows(corners, std::max(ys[i], first_), std::min(ys[i + 1], end_), false);
  }
  // The last row is where its edges end.
  if (first_ <= ys.back() && ys.back() < end_) AddRows(corners, ys.back(), ys.back() + 1, true);
}

void Spans::AddRows(std::span<const Point, 4> corners, int top, int end, bool is_last) {
  if (top >= end) return;
  std::array<Crossing, 4> crossings;
  std::size_t size = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    Point upper = corners[(i + 3) % 4];
    Point lower = corners[i];
    if (upper.y > lower.y) std::swap(upper, lower);
    const bool crosses = is_last ? lower.y == top : upper.y <= top && top < lower.y;
    if (upper.y < lower.y && crosses) crossings[size++] = Crossing(upper, lower, top);
  }
  if (size == 2) {
    AddSimpleRows(crossings[0], crossings[1], top, end);
  } else {
    AddDoubleRows(crossings, size, top, end);
  }
}

void Spans::AddSimpleRows(Crossing a, Crossing b, int top, int end) {
  for (int y = top; y < end; ++y) {
    const std::int64_t left = a.X();
    const std::int64_t right = b.X();
    rows_[static_cast<std::size_t>(y)] = {SpanBetween(std::min(left, right), std::max(left, right)),
                                          kNothing};
    a.Next();
    b.Next();
  }
}

void Spans::AddDoubleRows(std::array<Crossing, 4> crossings, std::size_t size, int top, int end) {
  is_double_ = true;
  for (int y = top; y < end; ++y) {
    std::array<std::int64_t, 4> xs;
    for (std::size_t i = 0; i < size; ++i) {
      xs[i] = crossings[i].X();
      crossings[i].Next();
    }
    SortFew(xs, size);
    rows_[static_cast<std::size_t>(y)] = {size == 0 ? kNothing : SpanBetween(xs[0], xs[1]),
                                          size == 4 ? SpanBetween(xs[2], xs[3]) : kNothing};
  }
}

}  // namespace gfx

}  // namespace envpool::drawing
