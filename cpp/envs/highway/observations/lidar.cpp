// LidarObservation: how far it is to what stands around, and how fast that comes closer or leaves.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "highway/observations/types.h"

namespace envpool::highway {
namespace {

// Two ends along a line.
using Part = std::array<double, 2>;

double DistanceOf(const Part& a, const Part& b) { return a[0] < b[0] ? b[0] - a[1] : a[0] - b[1]; }

// Two parallel sides of a rectangle, as seen from a point: how far they are along their normal.
struct Sides {
  Sides(Point origin, Point near, Point far)
      : normal((far - near) / Norm(far - near)),
        at{Dot(near - origin, normal), Dot(far - origin, normal)} {}

  // Returns the part of a ray that is between them, in lengths of the ray.
  Part Cut(Point ray) const {
    const double length = Dot(ray, normal);
    const Part part = {at[0] / length, at[1] / length};
    return length >= 0 ? part : Part{part[1], part[0]};
  }

  Point normal;
  Part at;
};

// Returns the distance to a rectangle along a ray, or infinity if the ray misses it.
double DistanceTo(const Sides& sides, const Sides& others, Point ray) {
  const Part first = sides.Cut(ray);
  const Part second = others.Cut(ray);
  constexpr Part kAll = {0.0, 1.0};
  const bool is_hit = DistanceOf(first, second) <= 0 && DistanceOf(kAll, first) <= 0 &&
                      DistanceOf(kAll, second) <= 0;
  return is_hit ? Max(first[0], second[0]) * Norm(ray) : std::numeric_limits<double>::infinity();
}

class Lidar final : public NumbersObservation {
 public:
  explicit Lidar(const Options& options)
      : cells_(static_cast<int>(options.Integer("observation_cells"))),
        range_(options.Number("observation_maximum_range")),
        is_normalized_(options.Flag("observation_normalize")),
        angle_(2 * kPi / cells_) {
    for (int cell = 0; cell < cells_; ++cell) directions_.push_back(DirectionOf(cell * angle_));
  }

  Field MakeField(const std::string& name) const override {
    const double most = is_normalized_ ? 1.0 : range_;
    return Box(name, DType::kFloat32, Shape(), {-most}, {most});
  }

  void Write(const Row& row) const override {
    const float divisor = is_normalized_ ? static_cast<float>(range_) : 1.0F;
    std::ranges::transform(numbers_, row.Observation<float>().begin(),
                           [divisor](float number) { return number / divisor; });
  }

  // Upstream's pictures show what the first player sees.
  void Describe(Scene& scene) const override {
    std::vector<double>& distances = scene["lidar"];
    distances.push_back(range_);
    for (int cell = 0; cell < cells_; ++cell) {
      distances.push_back(numbers_[static_cast<std::size_t>(cell) * kNumbers]);
    }
  }

 private:
  static constexpr std::size_t kNumbers = 2;  // of a cell: distance and speed

  // What a player sees, before it is normalized.
  struct View {
    const Vehicle& self;
    std::span<float> numbers;
  };

  std::vector<int> Shape() const override { return {cells_, kNumbers}; }

  void Append(const Traffic& traffic, int player, Random& /*random*/,
              std::vector<float>& to) const override {
    const std::size_t start = to.size();
    to.resize(start + static_cast<std::size_t>(cells_) * kNumbers, static_cast<float>(range_));
    const View view = {traffic.Player(player), std::span(to).subspan(start)};
    for (const std::vector<Vehicle>* list : {&traffic.vehicles, &traffic.objects}) {
      for (const Vehicle& other : *list) {
        if (&other != &view.self && other.kind != Kind::kLandmark) Trace(other, view);
      }
    }
  }

  // Puts what is to be seen of one vehicle or object in front of what was seen already.
  void Trace(const Vehicle& other, const View& view) const {
    const Point origin = view.self.position;
    const double center = Norm(other.position - origin);
    if (!(center <= range_)) return;
    Mark(other, view, CellAt(AngleOf(other.position - origin)), center - other.width / 2);
    const Polygon outline = PolygonOf(other);
    const auto& [a, b, c, d, end] = outline.corners;
    const Sides sides(origin, a, b);
    const Sides others(origin, a, d);
    const auto trace = [&](int first, int last) {
      for (int cell = first; cell <= last; ++cell) {
        // The end of the ray is rounded before its length is taken, as upstream does.
        const Point reach = origin + range_ * DirectionAt(cell);
        Mark(other, view, cell, DistanceTo(sides, others, reach - origin));
      }
    };
    // What is in one cell only is looked for in all of them, as upstream does.
    const auto [first, last] = CellsOf(outline, origin);
    if (first < last) return trace(first, last);
    trace(first, cells_ - 1);
    trace(0, last);
  }

  // Notes what is seen in a cell, unless something else there is closer.
  void Mark(const Vehicle& other, const View& view, int cell, double distance) const {
    const auto place = static_cast<std::size_t>(cell) * kNumbers;
    if (!(distance <= double{view.numbers[place]})) return;
    const Point velocity = other.Velocity() - view.self.Velocity();
    view.numbers[place] = static_cast<float>(distance);
    view.numbers[place + 1] = static_cast<float>(Dot(velocity, DirectionAt(cell)));
  }

  // Returns the first and the last cell that a rectangle is in; they go on from the last to 0.
  std::pair<int, int> CellsOf(const Polygon& outline, Point origin) const {
    double least = AngleOf(outline.corners[0] - origin);
    double most = least;
    for (int i = 1; i < 4; ++i) {
      const double angle = AngleOf(outline.corners[i] - origin);
      least = Min(least, angle);
      most = Max(most, angle);
    }
    // What lies behind has corners on both sides of the angle pi.
    if (least < -kPi / 2 && kPi / 2 < most) {
      std::swap(least, most);
      most += 2 * kPi;
    }
    return {CellAt(least), CellAt(most)};
  }

  // Cells begin half of their angle before their direction.
  double AngleOf(Point delta) const { return numerics::Arctan2(delta.y, delta.x) + angle_ / 2; }
  int CellAt(double angle) const {
    const int cell = static_cast<int>(std::floor(angle / angle_)) % cells_;
    return cell < 0 ? cell + cells_ : cell;
  }
  Point DirectionAt(int cell) const { return directions_[static_cast<std::size_t>(cell)]; }

  const int cells_;
  const double range_;  // m
  const bool is_normalized_;
  const double angle_;  // of a cell, rad
  std::vector<Point> directions_;
};

}  // namespace

std::unique_ptr<Observation> MakeLidarObservation(const Options& options) {
  return std::make_unique<Lidar>(options);
}

}  // namespace envpool::highway
