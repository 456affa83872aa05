#include "box2d/walker_terrain.h"

#include <cmath>
#include <cstdint>

#include "envpool/numpy_math.h"

namespace envpool::box2d {

namespace {

constexpr double kStep = WalkerTerrain::kStep;

enum class Kind { kGrass, kStump, kStairs, kPit };

// Goes from left to right, one point of the ground after the other.
class Builder {
 public:
  Builder(WalkerTerrain& terrain, Random& random) : terrain_(terrain), random_(random) {}

  void AddPoint(int index, bool hardcore) {
    x_ = index * kStep;
    if (begins_) {
      Begin();
    } else {
      GoOn(index);
    }
    begins_ = false;
    terrain_.ground.push_back({x_, y_});
    if (--left_ > 0) return;
    left_ = random_.Integers(WalkerTerrain::kGrass / 2, WalkerTerrain::kGrass);
    const bool obstacle = kind_ == Kind::kGrass && hardcore;
    kind_ = obstacle ? static_cast<Kind>(random_.Integers(1, 4)) : Kind::kGrass;
    begins_ = true;
  }

 private:
  void Begin() {
    if (kind_ == Kind::kPit) {
      left_ = random_.Integers(3, 5);
      for (const double shift : {0.0, kStep * static_cast<double>(left_)}) {
        AddBox(x_, x_ + kStep, y_, y_ - 4 * kStep, shift);
      }
      left_ += 2;
      first_y_ = y_;
    } else if (kind_ == Kind::kStump) {
      left_ = random_.Integers(1, 3);
      const double size = static_cast<double>(left_) * kStep;
      AddBox(x_, x_ + size, y_, y_ + size);
    } else if (kind_ == Kind::kStairs) {
      BeginStairs();
    }
  }

  void BeginStairs() {
    rise_ = random_.Unit() > 0.5 ? 1 : -1;
    width_ = random_.Integers(4, 5);
    stairs_ = random_.Integers(3, 5);
    first_y_ = y_;
    for (std::int64_t i = 0; i < stairs_; ++i) {
      AddBox(x_ + static_cast<double>(i * width_) * kStep,
             x_ + static_cast<double>((1 + i) * width_) * kStep,
             y_ + static_cast<double>(i * rise_) * kStep,
             y_ + static_cast<double>(-1 + i * rise_) * kStep);
    }
    left_ = stairs_ * width_;
  }

  void GoOn(int index) {
    if (kind_ == Kind::kGrass) {
      const double below = WalkerTerrain::kHeight - y_;
      slope_ = 0.8 * slope_ + 0.01 * numpy::Sign(below);
      if (index > WalkerTerrain::kStartPad) {
        slope_ += random_.Uniform(-1.0, 1.0) / WalkerTerrain::kScale;
      }
      y_ += slope_;
    } else if (kind_ == Kind::kPit) {
      y_ = first_y_;
      if (left_ > 1) y_ -= 4 * kStep;
    } else if (kind_ == Kind::kStairs) {
      const std::int64_t walked = stairs_ * width_ - left_ - rise_;
      const double climbed = static_cast<double>(walked) / static_cast<double>(width_);
      y_ = first_y_ + climbed * static_cast<double>(rise_) * kStep;
    }
  }

  void AddBox(double left, double right, double y1, double y2, double shift = 0.0) {
    terrain_.obstacles.push_back(
        {{{left + shift, y1}, {right + shift, y1}, {right + shift, y2}, {left + shift, y2}}});
  }

  WalkerTerrain& terrain_;
  Random& random_;
  double x_ = 0.0;
  double y_ = WalkerTerrain::kHeight;
  double slope_ = 0.0;
  double first_y_ = 0.0;  // where the obstacle began
  Kind kind_ = Kind::kGrass;
  bool begins_ = false;                           // true if it begins here
  std::int64_t left_ = WalkerTerrain::kStartPad;  // how many points it still has
  std::int64_t stairs_ = 0;
  std::int64_t width_ = 0;  // of a stair
  std::int64_t rise_ = 0;   // of a stair: 1 or -1
};

}  // namespace

WalkerTerrain WalkerTerrain::Generate(bool hardcore, Random& random) {
  WalkerTerrain terrain;
  terrain.AddGround(hardcore, random);
  terrain.AddClouds(random);
  return terrain;
}

void WalkerTerrain::AddGround(bool hardcore, Random& random) {
  ground.reserve(kLength);
  Builder builder(*this, random);
  for (int i = 0; i < kLength; ++i) builder.AddPoint(i, hardcore);
}

void WalkerTerrain::AddClouds(Random& random) {
  for (int i = 0; i < kLength / 20; ++i) {
    const double x = random.Uniform(0.0, kLength) * kStep;
    const double y = 400 / kScale * 3 / 4;
    std::array<Point, 5> cloud;
    for (int corner = 0; corner < 5; ++corner) {
      const double angle = 3.14 * 2 * corner / 5;
      cloud[static_cast<std::size_t>(corner)].x =
          x + 15 * kStep * std::sin(angle) + random.Uniform(0.0, 5 * kStep);
      cloud[static_cast<std::size_t>(corner)].y =
          y + 5 * kStep * std::cos(angle) + random.Uniform(0.0, 5 * kStep);
    }
    clouds.push_back(cloud);
  }
}

}  // namespace envpool::box2d
