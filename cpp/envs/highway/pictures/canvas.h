// Canvas: pixels of a few colours, drawn as pygame-ce 2.5.8 draws them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace envpool::highway {

enum class Colour : std::uint8_t {
  kNone,  // shows what is below
  kGrey,
  kWhite,
  kBlack,
  kYellow,
  kLightYellow,
  kRed,
  kLightRed,
  kBlue,
  kLightBlue,
  kGreen,
  kLightGreen,
};
inline constexpr std::size_t kColours = 12;

struct Pixel {
  int x = 0;
  int y = 0;
};

struct Rect {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

class Canvas {
 public:
  Canvas(int width, int height)
      : width_(width),
        height_(height),
        pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

  // Column by column.
  std::span<const Colour> Pixels() const { return pixels_; }

  // pygame.draw.rect with width 0 and 1.
  void Fill(Rect box, Colour colour);
  void Frame(Rect box, Colour colour);

  // pygame.draw.line
  void Line(Pixel from, Pixel to, int width, Colour colour);

  // Puts a square picture with its center at a place, after pygame.transform.rotate.
  void PutRotated(const Canvas& picture, Pixel center, double degrees);

 private:
  // How a picture is rotated: the size of the result, and where each of its pixels comes from.
  class Rotated;

  std::size_t Place(int x, int y) const {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(height_) +
           static_cast<std::size_t>(y);
  }
  Rect Clipped(Rect box) const;

  int width_;
  int height_;
  std::vector<Colour> pixels_;
};

}  // namespace envpool::highway
