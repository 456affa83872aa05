// What rewards are made of: Meta-World's metaworld/utils/reward_utils.py.
#pragma once

#include "metaworld/number.h"
#include "metaworld/vectors.h"

namespace envpool::metaworld {

struct Interval {
  double low;
  double high;
};

// 1 within the interval; outside it decreases, to 0.1 where the distance is the margin. Throws
// std::runtime_error if that is negative, as the original does.
double Tolerance(double x, const Interval& bounds, double margin);
// The same, but it falls off as a normal distribution does.
double GaussianTolerance(double x, const Interval& bounds, double margin);

// A product that is between 0 and 1, as its factors are. Throws std::runtime_error if they aren't.
Number HamacherProduct(Number a, Number b);
inline double HamacherProduct(double a, double b) {
  return HamacherProduct(Number(a), Number(b)).Value();
}

// How high a hand should be at a distance from a thing: 0 near it, then ever higher, m.
double SafeHeight(double distance, double near, double slope, double height);

// How much an action wants the fingers closed, from 0 to 1.
double GrabEffort(float effort);

// From 0 to 1 in a box whose corners these are; 1 outside of it.
Number BoxTolerance(const Vector& x, const Vector& zero, const Vector& one);

}  // namespace envpool::metaworld
