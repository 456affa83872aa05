// Minimap: upstream's representation "extracted", planes with a mark for each player of the left
// team, each of the right, the ball, and the agent's player. Several of them can be stacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "envpool/archive.h"
#include "gfootball/observed.h"

namespace envpool::gfootball {

inline constexpr std::size_t kLayers = 4;
inline constexpr std::size_t kStacked = 4;

class Minimap {
 public:
  Minimap(int width, int height, std::size_t frames)
      : width_(width), height_(height), frames_(frames) {}

  // Makes all frames what is seen now, or the last of them.
  void Fill(const View& view);
  void Push(const View& view);

  // Writes rows of pixels, each with the layers of all frames, from the oldest.
  void Write(std::span<std::uint8_t> pixels) const;

  void Serialize(Archive& archive);

 private:
  using Marks = std::vector<std::uint32_t>;  // places in a picture of one frame

  Marks MarksOf(const View& view) const;
  std::uint32_t Place(double x, double y, std::size_t layer) const;

  int width_, height_;
  std::vector<Marks> frames_;
};

}  // namespace envpool::gfootball
