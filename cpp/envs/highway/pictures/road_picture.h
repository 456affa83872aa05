// RoadPicture: draws traffic from above, as highway_env/road/graphics.py and
// highway_env/vehicle/graphics.py do.
#pragma once

#include <array>
#include <cstdint>

#include "highway/pictures/canvas.h"
#include "highway/traffic.h"

namespace envpool::highway {

// Red, green and blue.
std::array<std::uint8_t, 3> ChannelsOf(Colour colour);

class RoadPicture {
 public:
  // `center` is where pictures have what they show, in parts of their width and height; `scaling`
  // is in pixels per m.
  RoadPicture(int width, int height, Point center, double scaling);

  // Draws what is around a place.
  const Canvas& Draw(const Traffic& traffic, Point place);

 private:
  // What is farther away than any picture shows stays as far as an int can tell.
  int Pixels(double meters) const {
    return static_cast<int>(numpy::Clip(meters * scaling_, -1e9, 1e9));
  }
  Pixel At(Point place) const { return {Pixels(place.x - corner_.x), Pixels(place.y - corner_.y)}; }
  bool Shows(Point place) const;
  void DrawLane(const Lane& lane);
  void DrawStripe(const Lane& lane, double start, double end, double lateral);
  void DrawObject(const Vehicle& object);
  void DrawVehicle(const Vehicle& vehicle, Colour colour, Colour light);
  void PutTires(const Vehicle& vehicle, Canvas& picture) const;

  const int width_;
  const int height_;
  const double scaling_;
  const Point margin_;  // from the corner to what is shown, m
  Point corner_;
  Canvas canvas_;
};

}  // namespace envpool::highway
