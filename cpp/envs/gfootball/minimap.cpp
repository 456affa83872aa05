#include "gfootball/minimap.h"

#include <algorithm>

namespace envpool::gfootball {
namespace {

// What a frame shows, in the coordinates of the pitch.
constexpr double kLeft = -1.0;
constexpr double kRight = 1.0;
constexpr double kTop = -1.0 / 2.25;
constexpr double kBottom = 1.0 / 2.25;
constexpr std::uint8_t kMark = 255;

int Pixel(double position, double first, double last, int pixels) {
  const int pixel = static_cast<int>((position - first) / (last - first) * pixels);
  return std::clamp(pixel, 0, pixels - 1);
}

}  // namespace

std::uint32_t Minimap::Place(double x, double y, std::size_t layer) const {
  const int pixel = Pixel(y, kTop, kBottom, height_) * width_ + Pixel(x, kLeft, kRight, width_);
  return static_cast<std::uint32_t>(static_cast<std::size_t>(pixel) * kLayers + layer);
}

Minimap::Marks Minimap::MarksOf(const View& view) const {
  Marks marks;
  const Observed& seen = view.seen;
  const auto mark_team = [&](const std::vector<double>& positions, std::size_t layer) {
    for (std::size_t i = 0; i < positions.size(); i += 2) {
      marks.push_back(Place(positions[i], positions[i + 1], layer));
    }
  };
  mark_team(seen.left.positions, 0);
  mark_team(seen.right.positions, 1);
  marks.push_back(Place(seen.ball[0], seen.ball[1], 2));
  if (view.Active() != -1) {
    const double* player = &seen.left.positions[2 * static_cast<std::size_t>(view.Active())];
    marks.push_back(Place(player[0], player[1], 3));
  }
  return marks;
}

void Minimap::Fill(const View& view) { std::ranges::fill(frames_, MarksOf(view)); }

void Minimap::Push(const View& view) {
  std::ranges::rotate(frames_, frames_.begin() + 1);
  frames_.back() = MarksOf(view);
}

void Minimap::Write(std::span<std::uint8_t> pixels) const {
  std::ranges::fill(pixels, std::uint8_t{0});
  for (std::size_t frame = 0; frame < frames_.size(); ++frame) {
    for (const std::uint32_t mark : frames_[frame]) {
      const std::size_t pixel = mark / kLayers * frames_.size() + frame;
      pixels[pixel * kLayers + mark % kLayers] = kMark;
    }
  }
}

void Minimap::Serialize(Archive& archive) {
  const auto size = static_cast<std::size_t>(width_ * height_) * kLayers;
  for (Marks& marks : frames_) archive.Index(marks, size);
}

}  // namespace envpool::gfootball
