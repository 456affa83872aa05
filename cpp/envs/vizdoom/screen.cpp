#include "vizdoom/screen.h"

#include <cstddef>
#include <vector>

#include "resize/resize.h"

namespace envpool::vizdoom {

namespace {

constexpr std::size_t kColours = 3;

// Returns a plane of a colour, of pixels of several.
std::vector<std::uint8_t> PlaneOf(std::span<const std::uint8_t> pixels, std::size_t colour) {
  std::vector<std::uint8_t> plane;
  for (std::size_t i = colour; i < pixels.size(); i += kColours) plane.push_back(pixels[i]);
  return plane;
}

}  // namespace

void DrawScreen(std::span<const std::uint8_t> screen, const DoomGame& game, const Frame& frame) {
  const PlaneSize size = game.ScreenSize();
  const PlaneSize wanted = {.height = static_cast<std::size_t>(frame.height),
                            .width = static_cast<std::size_t>(frame.width)};
  const auto resize = MakeResize(size, wanted, Interpolation::kArea);
  std::vector<std::uint8_t> row(wanted.width);
  std::vector<std::uint8_t> own;
  for (std::size_t colour = 0; colour < kColours; ++colour) {
    const std::uint8_t* plane = screen.data();
    if (game.Format() == ScreenFormat::kPlanes) plane += colour * size.Pixels();
    if (game.Format() == ScreenFormat::kPixels) {
      own = PlaneOf(screen, colour);
      plane = own.data();
    }
    std::size_t pixel = colour;
    for (std::size_t y = 0; y < wanted.height; ++y) {
      resize->Row(plane, y, row.data());
      for (const std::uint8_t value : row) {
        frame.pixels[pixel] = value;
        pixel += kColours;
      }
    }
  }
}

}  // namespace envpool::vizdoom
