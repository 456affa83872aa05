// Resize: makes 8-bit pictures smaller or larger exactly as OpenCV does (cv2.resize).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace envpool {

struct PlaneSize {
  std::size_t height = 0;
  std::size_t width = 0;

  std::size_t Pixels() const { return height * width; }
};

enum class Interpolation { kArea, kLinear };  // cv2.INTER_AREA, cv2.INTER_LINEAR

// A Resize makes planes of one channel and size into those of another size. It keeps intermediate
// results, so several threads must not share it.
class Resize {
 public:
  virtual ~Resize() = default;

  // Computes row `row` of the result from the whole source.
  virtual void Row(const std::uint8_t* source, std::size_t row, std::uint8_t* result) = 0;

  struct Rows {
    std::size_t first;
    std::size_t count;
  };
  // Returns the source's rows that row `row` of the result depends on.
  virtual Rows SourceRows(std::size_t row) const = 0;
};

// Makes what OpenCV uses for these sizes, which for some is another interpolation than it was asked
// for.
std::unique_ptr<Resize> MakeResize(PlaneSize from, PlaneSize to, Interpolation how);

}  // namespace envpool
