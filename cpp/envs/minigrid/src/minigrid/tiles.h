// Tiles: pictures of single cells, as minigrid's Grid.render_tile draws them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace envpool::minigrid {

inline constexpr int kLargestTile = 64;  // pixels

// A Cell is what a tile shows.
struct Cell {
  std::uint32_t code = 0;  // of an object, by CodeOf; 0: nothing
  int agent = -1;          // its direction, if it is there
  bool is_highlighted = false;
};

// Tiles are all of one size; each is drawn when it is first needed and shared by all threads.
class Tiles {
 public:
  explicit Tiles(int size) : size_(size) {}
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;
  ~Tiles();

  // Returns the process's tiles of this size, which stay.
  static Tiles& Of(int size);

  int PixelsPerSide() const { return size_; }

  // Returns size * size * 3 bytes, rows from the top.
  std::span<const std::uint8_t> Get(const Cell& cell);

 private:
  using Pixels = std::vector<std::uint8_t>;

  Pixels Draw(const Cell& cell) const;

  static constexpr std::size_t kKinds = 11 * 6 * 3 * 5 * 2;  // type, colour, state, agent, light

  const int size_;
  std::array<std::atomic<const Pixels*>, kKinds> drawn_ = {};
};

}  // namespace envpool::minigrid
