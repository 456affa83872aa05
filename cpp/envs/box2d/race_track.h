// RaceTrack: the closed road that CarRacing makes anew for each episode.
#pragma once

#include <array>
#include <vector>

#include "box2d/car_racing_picture.h"
#include "envpool/random.h"

namespace envpool::box2d {

struct RaceTrack {
  static constexpr double kScale = 6.0;
  static constexpr double kPlayfield = 2000 / kScale;  // half the side of the square to stay in

  // A Point of the road has its direction and its middle.
  struct Point {
    double alpha = 0.0;  // seen from the origin
    double beta = 0.0;   // across the road
    double x = 0.0;
    double y = 0.0;
  };
  // A Border is a piece of the red and white border.
  struct Border {
    std::array<Position, 4> corners;
    bool is_white = false;
  };
  struct Tile {
    std::array<Position, 4> corners;
    std::vector<Border> border;  // none or one
  };

  std::vector<Point> points;
  std::vector<Tile> tiles;  // one per point

  // Makes the track of gymnasium/envs/box2d/car_racing.py's _create_track, which it tries until it
  // succeeds.
  static RaceTrack Generate(Random& random);

 private:
  bool TryToGenerate(Random& random);
  std::vector<bool> FindBorders() const;
  void AddTile(std::size_t index, bool has_border);
};

}  // namespace envpool::box2d
