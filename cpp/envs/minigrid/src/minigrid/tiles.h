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

// What a tile shows.
struct Cell {
  std::uint32_t code = 0;  // of an object, by CodeOf; 0: nothing
  int agent = -1;          // its direction, if it is there
  bool is_highlighted = false;
};

// The tiles of one size, each drawn when it is first needed and shared by all threads.
class Tiles {
 public:
  explicit Tiles(int size) : size_(size) {}
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;
  ~Tiles();

  // Those of a process, which stay.
  static Tiles& Of(int size);

  int PixelsPerSide() const { return size_; }

  // size * size * 3 bytes, rows from the top.
  std::span<const std::uint8_t> Get(const Cell& cell);

 private:
  using Pixels = std::vector<std::uint8_t>;

  Pixels Draw(const Cell& cell) const;

  static constexpr std::size_t kKinds = 11 * 6 * 3 * 5 * 2;  // type, colour, state, agent, light

  const int size_;
  std::array<std::atomic<const Pixels*>, kKinds> drawn_ = {};
};

}  // namespace envpool::minigrid
