// WalkerTerrain: the ground that BipedalWalker walks on, and the clouds above it.
#pragma once

#include <array>
#include <vector>

#include "envpool/random.h"

namespace envpool::box2d {

struct WalkerTerrain {
  static constexpr double kScale = 30.0;  // pixels per meter
  static constexpr double kStep = 14 / kScale;
  static constexpr int kLength = 200;   // in steps
  static constexpr int kStartPad = 20;  // in steps
  static constexpr int kGrass = 10;     // longest stretch between two obstacles, in steps
  static constexpr double kHeight = 400 / kScale / 4;

  struct Point {
    double x = 0.0;
    double y = 0.0;
  };

  std::vector<Point> ground;                    // from left to right
  std::vector<std::array<Point, 4>> obstacles;  // stumps, stairs, the walls of pits
  std::vector<std::array<Point, 5>> clouds;

  // Makes what _generate_terrain and _generate_clouds of gymnasium/envs/box2d/bipedal_walker.py
  // make.
  static WalkerTerrain Generate(bool hardcore, Random& random);

 private:
  void AddGround(bool hardcore, Random& random);
  void AddClouds(Random& random);
};

}  // namespace envpool::box2d
