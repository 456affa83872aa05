// For snapshots of ALE's picture chip: where in a table of masks it stands, as a number, and whether
// its clocks let it draw beyond the picture.
#pragma once

#include <cstdint>
#include <iterator>
#include <type_traits>

namespace ale::stella {

// -1 if `mask` is not in the table.
template <class Mask, class Table>
int OffsetOf(const Mask* mask, const Table& table) {
  const auto* begin = reinterpret_cast<const Mask*>(&table);
  const auto* end = begin + sizeof(table) / sizeof(Mask);
  return mask >= begin && mask < end ? static_cast<int>(mask - begin) : -1;
}

// The inverse; `otherwise` for an offset that is not in the table, or from which a scan line, which
// is half of a row, would read beyond the row.
template <class Mask, class Table>
const Mask* MaskAt(int offset, const Table& table, const Mask* otherwise) {
  constexpr int kScanLine = 160;
  const bool is_inside = offset >= 0 && offset < static_cast<int>(sizeof(table) / sizeof(Mask)) &&
                         offset % (2 * kScanLine) <= kScanLine;
  return is_inside ? reinterpret_cast<const Mask*>(&table) + offset : otherwise;
}

// Colour clocks, wide enough to be subtracted.
struct Clocks {
  std::int64_t now;
  std::int64_t frame_start;
  std::int64_t display_start;
  std::int64_t drawn_to;
  std::int64_t display_stop;
};

// Throws, as ALE does, unless what is still to be drawn ends within the picture's memory.
inline void checkClocks(const Clocks& clocks, std::int64_t start_offset, std::int64_t stop_offset,
                        int left_in_line, int drawn) {
  constexpr std::int64_t kClocksPerLine = 228;
  constexpr std::int64_t kPixelsPerLine = 160;
  constexpr std::int64_t kLines = 300;
  constexpr std::int64_t kLongest = 1 << 28;  // no frame comes near it
  const std::int64_t lines_left = (clocks.display_stop - clocks.drawn_to) / kClocksPerLine + 1;
  const bool fits = clocks.now <= kLongest && clocks.now - clocks.frame_start >= 0 &&
                    clocks.now - clocks.frame_start <= kLongest &&
                    clocks.display_start - clocks.frame_start == start_offset &&
                    clocks.display_stop - clocks.frame_start == stop_offset &&
                    clocks.drawn_to >= clocks.frame_start &&
                    clocks.drawn_to <= clocks.display_stop && left_in_line >= 0 &&
                    left_in_line <= kClocksPerLine &&
                    drawn + lines_left * kPixelsPerLine <= kLines * kPixelsPerLine;
  if (!fits) throw "TIA: clocks that belong to no frame";
}

}  // namespace ale::stella
