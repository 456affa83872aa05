#include "minigrid/tiles.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <numbers>

#include "envpool/fork_local.h"
#include "minigrid/object.h"

namespace envpool::minigrid {
namespace {

using Rgb = std::array<std::uint8_t, 3>;

constexpr Rgb kBlack = {0, 0, 0};
constexpr int kSamples = 3;  // of each pixel, in both directions

constexpr Rgb RgbOf(Color color) {
  constexpr std::array<Rgb, 6> kRgb = {Rgb{255, 0, 0}, {0, 255, 0},   {0, 0, 255},
                                       {112, 39, 195}, {255, 255, 0}, {100, 100, 100}};
  return kRgb[static_cast<std::size_t>(color)];
}

Rgb Scaled(Rgb color, double factor) {
  for (std::uint8_t& part : color) part = static_cast<std::uint8_t>(factor * part);
  return color;
}

// The functions that follow have the types and the order of operations of
// minigrid/utils/rendering.py, because a point at a border may be in or out by its last bit. Points
// are within the unit square.

auto InRect(double x_low, double x_high, double y_low, double y_high) {
  return [=](double x, double y) { return x_low <= x && x <= x_high && y_low <= y && y <= y_high; };
}

auto InCircle(double cx, double cy, double r) {
  return [=](double x, double y) { return (x - cx) * (x - cx) + (y - cy) * (y - cy) <= r * r; };
}

// The ends of the line are single precision, and the distance from it is double precision.
auto InLine(double x0, double y0, double x1, double y1, double r) {
  const auto px = static_cast<float>(x0);
  const auto py = static_cast<float>(y0);
  const float way_x = static_cast<float>(x1) - px;
  const float way_y = static_cast<float>(y1) - py;
  const float length = std::sqrt(way_x * way_x + way_y * way_y);
  const double dir_x = way_x / length;
  const double dir_y = way_y / length;
  const auto in_box = InRect(std::min(x0, x1) - r, std::max(x0, x1) + r, std::min(y0, y1) - r,
                             std::max(y0, y1) + r);
  return [=](double x, double y) {
    if (!in_box(x, y)) return false;
    const double along = (x - px) * dir_x + (y - py) * dir_y;
    const double a = std::clamp(along, 0.0, double{length});
    const double off_x = x - (px + a * dir_x);
    const double off_y = y - (py + a * dir_y);
    return std::sqrt(off_x * off_x + off_y * off_y) <= r;
  };
}

// The agent is a triangle that points into its direction. Corners are single precision.
class InAgent {
 public:
  explicit InAgent(int direction)
      : cos_(std::cos(-(0.5 * std::numbers::pi * direction))),
        sin_(std::sin(-(0.5 * std::numbers::pi * direction))) {}

  bool operator()(double x, double y) const {
    const double from_x = x - 0.5;
    const double from_y = y - 0.5;
    const double v2_x = 0.5 + from_x * cos_ - from_y * sin_ - kA;
    const double v2_y = 0.5 + from_y * cos_ + from_x * sin_ - kTop;
    const double dot02 = double{kV0X} * v2_x + double{kV0Y} * v2_y;
    const double dot12 = double{kV1X} * v2_x + double{kV1Y} * v2_y;
    const double u = (double{kDot11} * dot02 - double{kDot01} * dot12) * double{kInverse};
    const double v = (double{kDot00} * dot12 - double{kDot01} * dot02) * double{kInverse};
    return u >= 0 && v >= 0 && u + v < 1;
  }

 private:
  static constexpr float kA = 0.12F;
  static constexpr float kTop = 0.19F;
  static constexpr float kV0X = 0.12F - kA;
  static constexpr float kV0Y = 0.81F - kTop;
  static constexpr float kV1X = 0.87F - kA;
  static constexpr float kV1Y = 0.50F - kTop;
  static constexpr float kDot00 = kV0X * kV0X + kV0Y * kV0Y;
  static constexpr float kDot01 = kV0X * kV1X + kV0Y * kV1Y;
  static constexpr float kDot11 = kV1X * kV1X + kV1Y * kV1Y;
  static constexpr float kInverse = 1 / (kDot00 * kDot11 - kDot01 * kDot01);

  const double cos_;
  const double sin_;
};

// A Canvas is a tile with several samples per pixel.
class Canvas {
 public:
  explicit Canvas(int size) : side_(size * kSamples), samples_(Index(0, side_)) {}

  template <class Contains>
  void Fill(const Contains& contains, Rgb color) {
    for (int y = 0; y < side_; ++y) {
      for (int x = 0; x < side_; ++x) {
        if (contains((x + 0.5) / side_, (y + 0.5) / side_)) samples_[Index(x, y)] = color;
      }
    }
  }

  void Highlight() {
    for (Rgb& sample : samples_) {
      for (std::uint8_t& part : sample) {
        part = static_cast<std::uint8_t>(part + 0.30 * (255 - part));
      }
    }
  }

  // Returns the means of rows of samples, then of these, cut to integers.
  std::vector<std::uint8_t> Pixels() const {
    std::vector<std::uint8_t> pixels;
    for (int y = 0; y < side_; y += kSamples) {
      for (int x = 0; x < side_; x += kSamples) {
        for (std::size_t part = 0; part < 3; ++part) {
          const auto row = [&](int down) {
            const auto sample = [&](int i) { return samples_[Index(x + i, y + down)][part]; };
            return (sample(0) + sample(1) + sample(2)) / 3.0;
          };
          pixels.push_back(static_cast<std::uint8_t>((row(0) + row(1) + row(2)) / 3.0));
        }
      }
    }
    return pixels;
  }

 private:
  std::size_t Index(int x, int y) const { return static_cast<std::size_t>(y * side_ + x); }

  const int side_;
  std::vector<Rgb> samples_;
};

void DrawLava(Canvas& canvas) {
  canvas.Fill(InRect(0, 1, 0, 1), {255, 128, 0});
  for (int i = 0; i < 3; ++i) {
    const double low = 0.3 + 0.2 * i;
    const double high = 0.4 + 0.2 * i;
    canvas.Fill(InLine(0.1, low, 0.3, high, 0.03), kBlack);
    canvas.Fill(InLine(0.3, high, 0.5, low, 0.03), kBlack);
    canvas.Fill(InLine(0.5, low, 0.7, high, 0.03), kBlack);
    canvas.Fill(InLine(0.7, high, 0.9, low, 0.03), kBlack);
  }
}

void DrawDoor(Canvas& canvas, DoorState state, Rgb color) {
  switch (state) {
    case DoorState::kOpen:
      canvas.Fill(InRect(0.88, 1.00, 0.00, 1.00), color);
      canvas.Fill(InRect(0.92, 0.96, 0.04, 0.96), kBlack);
      return;
    case DoorState::kLocked:
      canvas.Fill(InRect(0.00, 1.00, 0.00, 1.00), color);
      canvas.Fill(InRect(0.06, 0.94, 0.06, 0.94), Scaled(color, 0.45));
      canvas.Fill(InRect(0.52, 0.75, 0.50, 0.56), color);
      return;
    case DoorState::kClosed:
      canvas.Fill(InRect(0.00, 1.00, 0.00, 1.00), color);
      canvas.Fill(InRect(0.04, 0.96, 0.04, 0.96), kBlack);
      canvas.Fill(InRect(0.08, 0.92, 0.08, 0.92), color);
      canvas.Fill(InRect(0.12, 0.88, 0.12, 0.88), kBlack);
      canvas.Fill(InCircle(0.75, 0.50, 0.08), color);
  }
}

void DrawKey(Canvas& canvas, Rgb color) {
  canvas.Fill(InRect(0.50, 0.63, 0.31, 0.88), color);
  canvas.Fill(InRect(0.38, 0.50, 0.59, 0.66), color);
  canvas.Fill(InRect(0.38, 0.50, 0.81, 0.88), color);
  canvas.Fill(InCircle(0.56, 0.28, 0.190), color);
  canvas.Fill(InCircle(0.56, 0.28, 0.064), kBlack);
}

void DrawBox(Canvas& canvas, Rgb color) {
  canvas.Fill(InRect(0.12, 0.88, 0.12, 0.88), color);
  canvas.Fill(InRect(0.18, 0.82, 0.18, 0.82), kBlack);
  canvas.Fill(InRect(0.16, 0.84, 0.47, 0.53), color);
}

void DrawObject(Canvas& canvas, Type type, DoorState state, Rgb color) {
  switch (type) {
    case Type::kWall:
    case Type::kGoal: canvas.Fill(InRect(0, 1, 0, 1), color); break;
    case Type::kFloor: canvas.Fill(InRect(0.031, 1, 0.031, 1), Scaled(color, 0.5)); break;
    case Type::kDoor: DrawDoor(canvas, state, color); break;
    case Type::kKey: DrawKey(canvas, color); break;
    case Type::kBall: canvas.Fill(InCircle(0.5, 0.5, 0.31), color); break;
    case Type::kBox: DrawBox(canvas, color); break;
    case Type::kLava: DrawLava(canvas); break;
    case Type::kUnseen:
    case Type::kEmpty:
    case Type::kAgent: break;
  }
}

struct AllTiles {
  std::mutex mutex;
  std::map<int, std::unique_ptr<Tiles>> by_size;
};
constinit ForkLocal<AllTiles> all_tiles;

}  // namespace

Tiles& Tiles::Of(int size) {
  AllTiles& all = all_tiles.Get();
  const std::lock_guard lock(all.mutex);
  std::unique_ptr<Tiles>& tiles = all.by_size[size];
  if (tiles == nullptr) tiles = std::make_unique<Tiles>(size);
  return *tiles;
}

Tiles::~Tiles() {
  for (const auto& pixels : drawn_) delete pixels.load();
}

std::span<const std::uint8_t> Tiles::Get(const Cell& cell) {
  const std::size_t type = cell.code & 0xFF;
  const std::size_t color = cell.code >> 8 & 0xFF;
  const std::size_t state = cell.code >> 16;
  const auto agent = static_cast<std::size_t>(cell.agent + 1);
  const std::size_t index =
      (((type * 6 + color) * 3 + state) * 5 + agent) * 2 + (cell.is_highlighted ? 1 : 0);
  std::atomic<const Pixels*>& place = drawn_[index];
  const Pixels* pixels = place.load(std::memory_order_acquire);
  if (pixels == nullptr) {
    // Two threads may draw it: there is no lock that a forked child could find held.
    auto made = std::make_unique<const Pixels>(Draw(cell));
    if (place.compare_exchange_strong(pixels, made.get(), std::memory_order_acq_rel)) {
      pixels = made.release();
    }
  }
  return *pixels;
}

Tiles::Pixels Tiles::Draw(const Cell& cell) const {
  Canvas canvas(size_);
  canvas.Fill(InRect(0, 0.031, 0, 1), RgbOf(Color::kGrey));
  canvas.Fill(InRect(0, 1, 0, 0.031), RgbOf(Color::kGrey));
  DrawObject(canvas, static_cast<Type>(cell.code & 0xFF), static_cast<DoorState>(cell.code >> 16),
             RgbOf(static_cast<Color>(cell.code >> 8 & 0xFF)));
  if (cell.agent >= 0) canvas.Fill(InAgent(cell.agent), {255, 0, 0});
  if (cell.is_highlighted) canvas.Highlight();
  return canvas.Pixels();
}

}  // namespace envpool::minigrid
