#include "highway/pictures/road_picture.h"

#include <algorithm>
#include <cmath>

namespace envpool::highway {

namespace {

constexpr double kSpacing = 4.33;  // from the start of a stripe to the next one's, m
constexpr double kStripe = 3.0;    // the length of a stripe, m
constexpr double kTire = 1.0;      // the length of a tire, m

// x // y of Python's floats, where y is positive.
double FloorDivide(double x, double y) {
  const double rest = std::fmod(x, y);
  const double quotient = (x - rest) / y - (rest < 0 ? 1.0 : 0.0);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1.0 : whole;
}

// The angle that something is drawn at, which is straight ahead unless it is clearly turned.
double DegreesOf(const Vehicle& vehicle) {
  const double heading = std::abs(vehicle.heading) > 2 * kPi / 180 ? vehicle.heading : 0.0;
  return -heading * (180.0 / kPi);
}

struct Paint {
  Colour colour;
  Colour light;
};

Paint PaintOf(const Vehicle& vehicle, Drivers drivers) {
  constexpr Paint kYellow = {Colour::kYellow, Colour::kLightYellow};
  if (vehicle.is_crashed) return {Colour::kRed, Colour::kLightRed};
  if (vehicle.kind == Kind::kMeta) return {Colour::kGreen, Colour::kLightGreen};
  if (vehicle.kind != Kind::kDriver || drivers != Drivers::kIdm) return kYellow;
  return {Colour::kBlue, Colour::kLightBlue};
}

}  // namespace

std::array<std::uint8_t, 3> ChannelsOf(Colour colour) {
  switch (colour) {
    case Colour::kNone: return {0, 0, 0};
    case Colour::kGrey: return {100, 100, 100};
    case Colour::kWhite: return {255, 255, 255};
    case Colour::kBlack: return {60, 60, 60};
    case Colour::kYellow: return {200, 200, 0};
    case Colour::kLightYellow: return {255, 255, 0};
    case Colour::kRed: return {255, 100, 100};
    case Colour::kLightRed: return {255, 147, 147};
    case Colour::kBlue: return {100, 200, 255};
    case Colour::kLightBlue: return {147, 255, 255};
    case Colour::kGreen: return {50, 200, 0};
    case Colour::kLightGreen: return {73, 255, 0};
  }
  return {};
}

RoadPicture::RoadPicture(int width, int height, Point center, double scaling)
    : width_(width),
      height_(height),
      scaling_(scaling),
      margin_{center.x * width / scaling, center.y * height / scaling},
      canvas_(width, height) {}

const Canvas& RoadPicture::Draw(const Traffic& traffic, Point place) {
  corner_ = place - margin_;
  canvas_.Fill({0, 0, width_, height_}, Colour::kGrey);
  for (const Lane& lane : traffic.network.Lanes()) DrawLane(lane);
  for (const Vehicle& object : traffic.objects) DrawObject(object);
  for (const Vehicle& vehicle : traffic.vehicles) {
    const Paint paint = PaintOf(vehicle, traffic.drivers);
    if (Shows(vehicle.position)) DrawVehicle(vehicle, paint.colour, paint.light);
  }
  return canvas_;
}

bool RoadPicture::Shows(Point place) const {
  constexpr int kBeyond = 50;  // pixels
  const Pixel at = At(place);
  return -kBeyond < at.x && at.x < width_ + kBeyond && -kBeyond < at.y && at.y < height_ + kBeyond;
}

void RoadPicture::DrawLane(const Lane& lane) {
  const int stripes = static_cast<int>(2 * (height_ + width_) / (kSpacing * scaling_));
  const double origin = std::trunc(lane.Local(corner_).longitudinal);
  const double first = (FloorDivide(origin, kSpacing) - stripes / 2) * kSpacing;
  for (const double side : {-0.5, 0.5}) {
    const Line line = side < 0 ? lane.lines.left : lane.lines.right;
    const double lateral = side * lane.width;
    if (line == Line::kContinuousLine) {
      DrawStripe(lane, first, first + stripes * kSpacing + kStripe, lateral);
    } else if (line != Line::kNone) {
      const double length = line == Line::kStriped ? kStripe : kSpacing;
      for (int i = 0; i < stripes; ++i) {
        const double start = first + i * kSpacing;
        DrawStripe(lane, start, start + length, lateral);
      }
    }
  }
}

void RoadPicture::DrawStripe(const Lane& lane, double start, double end, double lateral) {
  start = numpy::Clip(start, 0.0, lane.length);
  end = numpy::Clip(end, 0.0, lane.length);
  if (!(std::abs(start - end) > 0.5 * kStripe)) return;
  canvas_.Line(At(lane.Position(start, lateral)), At(lane.Position(end, lateral)),
               std::max(Pixels(0.3), 1), Colour::kWhite);
}

void RoadPicture::DrawObject(const Vehicle& object) {
  const int size = Pixels(object.length);
  const Rect rect = {0, Pixels(object.length / 2 - object.width / 2), size, Pixels(object.width)};
  Colour colour = object.is_crashed ? Colour::kRed : Colour::kYellow;
  if (object.kind == Kind::kLandmark) colour = object.is_hit ? Colour::kGreen : Colour::kBlue;
  Canvas picture(size, size);
  picture.Fill(rect, colour);
  picture.Frame(rect, Colour::kBlack);
  canvas_.PutRotated(picture, At(object.position), DegreesOf(object));
}

void RoadPicture::DrawVehicle(const Vehicle& vehicle, Colour colour, Colour light) {
  constexpr double kLightLength = 0.72;
  const double length = vehicle.length + 2 * kTire;
  const double width = vehicle.width;
  const Rect body = {Pixels(kTire), Pixels(length / 2 - width / 2), Pixels(vehicle.length),
                     Pixels(width)};
  const auto put_light = [&](Canvas& picture, double y) {
    picture.Fill({Pixels(kTire + vehicle.length - kLightLength), Pixels(y), Pixels(kLightLength),
                  Pixels(0.6)},
                 light);
  };
  Canvas picture(Pixels(length), Pixels(length));
  picture.Fill(body, colour);
  put_light(picture, length / 2 - (1.4 * width) / 3);
  put_light(picture, length / 2 + (0.6 * width) / 5);
  picture.Frame(body, Colour::kBlack);
  if (!IsControlled(vehicle.kind)) PutTires(vehicle, picture);
  canvas_.PutRotated(picture, At(vehicle.position), DegreesOf(vehicle));
}

void RoadPicture::PutTires(const Vehicle& vehicle, Canvas& picture) const {
  constexpr double kWidth = 0.3;
  const double length = vehicle.length + 2 * kTire;
  Canvas tire(Pixels(kTire), Pixels(kTire));
  tire.Fill({0, Pixels(kTire / 2 - kWidth / 2), Pixels(kTire), Pixels(kWidth)}, Colour::kBlack);
  const double sides[] = {length / 2 - vehicle.width / 2, length / 2 + vehicle.width / 2};
  for (const double y : sides) picture.PutRotated(tire, {Pixels(kTire), Pixels(y)}, 0.0);
  for (const double y : sides) {
    picture.PutRotated(tire, {Pixels(length - kTire), Pixels(y)},
                       -vehicle.steering * (180.0 / kPi));
  }
}

}  // namespace envpool::highway
