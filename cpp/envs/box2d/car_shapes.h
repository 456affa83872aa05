// The shapes of CarRacing's car, in units of kCarUnit, for its bodies and for its pictures.
#pragma once

#include <array>
#include <span>

#include "box2d/car_racing_picture.h"

namespace envpool::box2d {

inline constexpr double kCarUnit = 0.02;
inline constexpr double kWheelRadius = 27;
inline constexpr double kWheelWidth = 14;
// Corners are in the order in which Box2D keeps them, because DrawPolygon's rounding depends on it.
inline constexpr std::array<Position, 4> kWheelShape = {{{kWheelWidth, -kWheelRadius},
                                                         {kWheelWidth, kWheelRadius},
                                                         {-kWheelWidth, kWheelRadius},
                                                         {-kWheelWidth, -kWheelRadius}}};
inline constexpr std::array<Position, 4> kFrontWing = {
    {{60, 110}, {60, 130}, {-60, 130}, {-60, 110}}};
inline constexpr std::array<Position, 4> kNose = {{{20, 20}, {15, 120}, {-15, 120}, {-20, 20}}};
inline constexpr std::array<Position, 8> kBody = {
    {{50, -40}, {50, -10}, {25, 20}, {-25, 20}, {-50, -10}, {-50, -40}, {-20, -90}, {20, -90}}};
inline constexpr std::array<Position, 4> kRearWing = {
    {{50, -120}, {50, -90}, {-50, -90}, {-50, -120}}};
inline constexpr std::array<std::span<const Position>, 4> kHullShapes = {kFrontWing, kNose, kBody,
                                                                         kRearWing};

}  // namespace envpool::box2d
