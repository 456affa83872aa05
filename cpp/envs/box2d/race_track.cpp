#include "box2d/race_track.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "envpool/numpy_math.h"

namespace envpool::box2d {

namespace {

using std::numbers::pi;

constexpr int kCheckpoints = 12;
constexpr double kRadius = 900 / RaceTrack::kScale;
constexpr double kDetailStep = 21 / RaceTrack::kScale;
constexpr double kTurnRate = 0.31;
constexpr double kHalfWidth = 40 / RaceTrack::kScale;  // of the road
constexpr double kBorder = 8 / RaceTrack::kScale;
constexpr int kLeastBorder = 4;  // tiles of a turn that has a border
constexpr double kStartAlpha = 2 * pi * (-0.5) / kCheckpoints;

struct Checkpoint {
  double alpha = 0.0;
  double x = 0.0;
  double y = 0.0;
};

using Checkpoints = std::array<Checkpoint, kCheckpoints>;

Checkpoints DrawCheckpoints(Random& random) {
  Checkpoints checkpoints;
  for (int c = 0; c < kCheckpoints; ++c) {
    const double noise = random.Uniform(0.0, 2 * pi * 1 / kCheckpoints);
    double alpha = 2 * pi * c / kCheckpoints + noise;
    double radius = random.Uniform(kRadius / 3, kRadius);
    if (c == 0 || c == kCheckpoints - 1) {
      alpha = 2 * pi * c / kCheckpoints;
      radius = 1.5 * kRadius;
    }
    checkpoints[static_cast<std::size_t>(c)] = {alpha, radius * std::cos(alpha),
                                                radius * std::sin(alpha)};
  }
  return checkpoints;
}

// Drives from checkpoint to checkpoint for some laps.
class Driver {
 public:
  explicit Driver(const Checkpoints& checkpoints) : checkpoints_(checkpoints) {}

  std::vector<RaceTrack::Point> Drive() {
    std::vector<RaceTrack::Point> points;
    for (int left = 2500; left > 0; --left) {
      points.push_back(Advance());
      if (laps_ > 4) break;
    }
    return points;
  }

 private:
  RaceTrack::Point Advance() {
    double alpha = std::atan2(y_, x_);
    if (visited_other_side_ && alpha > 0) {
      ++laps_;
      visited_other_side_ = false;
    }
    if (alpha < 0) {
      visited_other_side_ = true;
      alpha += 2 * pi;
    }
    const Checkpoint& target = FindTarget(alpha);
    const double right_x = std::cos(beta_);
    const double right_y = std::sin(beta_);
    // The target is this far to the right.
    double projection = right_x * (target.x - x_) + right_y * (target.y - y_);
    while (beta_ - alpha > 1.5 * pi) beta_ -= 2 * pi;
    while (beta_ - alpha < -1.5 * pi) beta_ += 2 * pi;
    const double last_beta = beta_;
    projection *= RaceTrack::kScale;
    if (projection > 0.3) beta_ -= std::min(kTurnRate, std::abs(0.001 * projection));
    if (projection < -0.3) beta_ += std::min(kTurnRate, std::abs(0.001 * projection));
    x_ += -right_y * kDetailStep;
    y_ += right_x * kDetailStep;
    return {alpha, last_beta * 0.5 + beta_ * 0.5, x_, y_};
  }

  // The next checkpoint ahead; turns `alpha` back if there is none before the lap ends.
  const Checkpoint& FindTarget(double& alpha) {
    while (true) {
      do {
        const Checkpoint& checkpoint = checkpoints_[target_ % kCheckpoints];
        if (alpha <= checkpoint.alpha) return checkpoint;
        ++target_;
      } while (target_ % kCheckpoints != 0);
      alpha -= 2 * pi;
    }
  }

  const Checkpoints& checkpoints_;
  double x_ = 1.5 * kRadius;
  double y_ = 0.0;
  double beta_ = 0.0;
  std::size_t target_ = 0;
  int laps_ = 0;
  bool visited_other_side_ = false;
};

// Returns the last whole lap; nothing if there is none.
std::vector<RaceTrack::Point> LastLap(const std::vector<RaceTrack::Point>& points) {
  std::optional<std::size_t> end;
  for (std::size_t i = points.size() - 1; i > 0; --i) {
    const bool passes_start = points[i].alpha > kStartAlpha && points[i - 1].alpha <= kStartAlpha;
    if (!passes_start) continue;
    if (!end) {
      end = i;
    } else {
      return {points.begin() + static_cast<std::ptrdiff_t>(i),
              points.begin() + static_cast<std::ptrdiff_t>(*end) - 1};
    }
  }
  return {};
}

// True if the lap's head and tail meet.
bool IsClosed(const std::vector<RaceTrack::Point>& lap) {
  const double x = std::cos(lap.front().beta) * (lap.front().x - lap.back().x);
  const double y = std::sin(lap.front().beta) * (lap.front().y - lap.back().y);
  return std::sqrt(x * x + y * y) <= kDetailStep;
}

}  // namespace

RaceTrack RaceTrack::Generate(Random& random) {
  RaceTrack track;
  while (!track.TryToGenerate(random)) {
  }
  const std::vector<bool> borders = track.FindBorders();
  for (std::size_t i = 0; i < borders.size(); ++i) track.AddTile(i, borders[i]);
  return track;
}

bool RaceTrack::TryToGenerate(Random& random) {
  const Checkpoints checkpoints = DrawCheckpoints(random);
  points = LastLap(Driver(checkpoints).Drive());
  return !points.empty() && IsClosed(points);
}

// Returns which tiles have a border: those on hard turns.
std::vector<bool> RaceTrack::FindBorders() const {
  const std::size_t size = points.size();
  std::vector<bool> borders(size);
  for (std::size_t i = 0; i < size; ++i) {
    bool is_hard = true;
    double direction = 0.0;
    for (std::size_t back = 0; back < kLeastBorder; ++back) {
      const double turn =
          points[(i + size - back) % size].beta - points[(i + size - back - 1) % size].beta;
      is_hard = is_hard && std::abs(turn) > kTurnRate * 0.2;
      direction += numpy::Sign(turn);
    }
    borders[i] = is_hard && std::abs(direction) == kLeastBorder;
  }
  // This loop sees its own changes at the beginning, as Gymnasium's does.
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t back = 0; back < kLeastBorder; ++back) {
      if (borders[i]) borders[(i + size - back) % size] = true;
    }
  }
  return borders;
}

void RaceTrack::AddTile(std::size_t index, bool has_border) {
  const Point& to = points[index];
  const Point& from = points[(index + points.size() - 1) % points.size()];
  const auto beside = [](const Point& point, double distance) {
    return Position{point.x + distance * std::cos(point.beta),
                    point.y + distance * std::sin(point.beta)};
  };
  Tile tile;
  tile.corners = {beside(to, -kHalfWidth), beside(to, kHalfWidth), beside(from, kHalfWidth),
                  beside(from, -kHalfWidth)};
  if (has_border) {
    const double side = numpy::Sign(from.beta - to.beta);
    const double inner = side * kHalfWidth;
    const double outer = side * (kHalfWidth + kBorder);
    tile.border.push_back({.corners = {beside(to, inner), beside(to, outer), beside(from, outer),
                                       beside(from, inner)},
                           .is_white = index % 2 == 0});
  }
  tiles.push_back(std::move(tile));
}

}  // namespace envpool::box2d
