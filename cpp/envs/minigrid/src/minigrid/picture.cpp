#include "minigrid/picture.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace envpool::minigrid {
namespace {

// A Mosaic is a picture's pixels, which are put together from tiles.
class Mosaic {
 public:
  Mosaic(Tiles& tiles, int columns, std::span<std::uint8_t> pixels)
      : tiles_(tiles),
        side_(static_cast<std::size_t>(tiles.PixelsPerSide())),
        row_bytes_(static_cast<std::size_t>(columns) * side_ * 3),
        pixels_(pixels) {}

  void Put(int column, int row, const Cell& cell) {
    const std::span<const std::uint8_t> tile = tiles_.Get(cell);
    auto to = pixels_.begin() +
              static_cast<std::ptrdiff_t>(static_cast<std::size_t>(row) * side_ * row_bytes_ +
                                          static_cast<std::size_t>(column) * side_ * 3);
    for (std::size_t y = 0; y < side_; ++y, to += static_cast<std::ptrdiff_t>(row_bytes_)) {
      std::ranges::copy(tile.subspan(y * side_ * 3, side_ * 3), to);
    }
  }

 private:
  Tiles& tiles_;
  const std::size_t side_;
  const std::size_t row_bytes_;
  const std::span<std::uint8_t> pixels_;
};

bool IsSeen(const Sight& sight, int i, int j) {
  return sight.visible[static_cast<std::size_t>(j)] >> i & 1;
}

void DrawGrid(const Grid& grid, const Pose& pose, const View& view, bool highlights,
              Mosaic& mosaic) {
  const auto cell_at = [&](Point at, bool is_highlighted) {
    return Cell{CodeOf(grid[grid.At(at)]), at == pose.position ? pose.direction : -1,
                is_highlighted};
  };
  for (int y = 0; y < grid.Height(); ++y) {
    for (int x = 0; x < grid.Width(); ++x) mosaic.Put(x, y, cell_at({x, y}, false));
  }
  if (!highlights) return;
  const Sight sight = view.See(grid, pose);
  for (int j = 0; j < view.Cells(); ++j) {
    for (int i = 0; i < view.Cells(); ++i) {
      const Point at = view.CellAt(pose, i, j);
      if (IsSeen(sight, i, j) && grid.Contains(at)) mosaic.Put(at.x, at.y, cell_at(at, true));
    }
  }
}

void DrawView(const Grid& grid, const Pose& pose, const View& view, Mosaic& mosaic) {
  constexpr int kUp = 3;
  const Sight sight = view.See(grid, pose);
  const int size = view.Cells();
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) {
      const bool is_agent = i == size / 2 && j == size - 1;
      mosaic.Put(i, j,
                 {sight.codes[static_cast<std::size_t>(i * size + j)], is_agent ? kUp : -1,
                  IsSeen(sight, i, j)});
    }
  }
}

// Copies a picture of another size into the frame.
void CopyNearest(std::span<const std::uint8_t> picture, int width, int height, const Frame& frame) {
  auto out = frame.pixels.begin();
  for (int y = 0; y < frame.height; ++y) {
    const int row = static_cast<int>(std::int64_t{y} * height / frame.height);
    for (int x = 0; x < frame.width; ++x) {
      const int column = static_cast<int>(std::int64_t{x} * width / frame.width);
      const auto from = static_cast<std::size_t>(row * width + column) * 3;
      out = std::ranges::copy(picture.subspan(from, 3), out).out;
    }
  }
}

}  // namespace

void DrawPicture(const Grid& grid, const Pose& pose, const View& view, PictureStyle style,
                 Tiles& tiles, std::span<std::uint8_t> pixels) {
  const Size size = style.Tiles({grid.Width(), grid.Height()}, view.Cells());
  Mosaic mosaic(tiles, size.width, pixels);
  if (style.shows_view) {
    DrawView(grid, pose, view, mosaic);
  } else {
    DrawGrid(grid, pose, view, style.highlights, mosaic);
  }
}

void DrawFrame(const Grid& grid, const Pose& pose, const View& view, PictureStyle style,
               int tile_size, const Frame& frame) {
  const Size size = style.Tiles({grid.Width(), grid.Height()}, view.Cells());
  const int fitting = frame.width / size.width;
  const bool fits = fitting > 0 && fitting <= kLargestTile && frame.width == fitting * size.width &&
                    frame.height == fitting * size.height;
  if (fits) {
    DrawPicture(grid, pose, view, style, Tiles::Of(fitting), frame.pixels);
    return;
  }
  const int width = size.width * tile_size;
  const int height = size.height * tile_size;
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width * height) * 3);
  DrawPicture(grid, pose, view, style, Tiles::Of(tile_size), pixels);
  CopyNearest(pixels, width, height, frame);
}

}  // namespace envpool::minigrid
