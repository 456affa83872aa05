#include "vizdoom/screen.h"

#include <cstddef>
#include <vector>

namespace envpool::vizdoom {

namespace {

constexpr std::size_t kColours = 3;

}  // namespace

void DrawScreen(std::span<const std::uint8_t> screen, PlaneSize size, const Frame& frame) {
  const PlaneSize wanted = {.height = static_cast<std::size_t>(frame.height),
                            .width = static_cast<std::size_t>(frame.width)};
  const bool is_grey = screen.size() == size.Pixels();
  const auto resize = MakeResize(size, wanted, Interpolation::kArea);
  std::vector<std::uint8_t> row(wanted.width);
  for (std::size_t colour = 0; colour < kColours; ++colour) {
    const std::uint8_t* const plane = screen.data() + (is_grey ? 0 : colour * size.Pixels());
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
