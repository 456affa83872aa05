// Follows modules/imgproc/src/resize.cpp of OpenCV 4 and 5, in its order of operations: floats for
// areas, fixed-point numbers for linear interpolation.
#include "resize/resize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace envpool {

namespace {

// Rounds half to even, like OpenCV's saturate_cast: a float of this size has no room for fractions.
// (In loops, that is faster than std::nearbyint.) Means of pixels need no clamping.
std::uint8_t ToPixel(float value) {
  constexpr float kNoFractions = 1.5F * (1 << 23);
  return static_cast<std::uint8_t>(static_cast<int>((value + kNoFractions) - kNoFractions));
}

// Returns how much of a source's length makes one of the result's.
double ScaleOf(std::size_t from, std::size_t to) {
  return 1.0 / (static_cast<double>(to) / static_cast<double>(from));
}

// Copy is for sizes that are the same.
class Copy final : public Resize {
 public:
  explicit Copy(std::size_t width) : width_(width) {}

  void Row(const std::uint8_t* source, std::size_t row, std::uint8_t* result) override {
    std::memcpy(result, source + row * width_, width_);
  }
  Rows SourceRows(std::size_t row) const override { return {row, 1}; }

 private:
  const std::size_t width_;
};

// Boxes makes each result the mean of a box of whole pixels.
class Boxes final : public Resize {
 public:
  Boxes(std::size_t from_width, std::size_t box_height, std::size_t box_width)
      : from_width_(from_width), box_height_(box_height), box_width_(box_width) {}

  void Row(const std::uint8_t* source, std::size_t row, std::uint8_t* result) override {
    const std::uint8_t* top = source + row * box_height_ * from_width_;
    const float scale = 1.0F / static_cast<float>(box_height_ * box_width_);
    for (std::size_t x = 0; x < from_width_ / box_width_; ++x) {
      const int sum = SumOf(top + x * box_width_);
      const bool is_two_by_two = box_height_ == 2 && box_width_ == 2;
      result[x] = is_two_by_two ? static_cast<std::uint8_t>((sum + 2) / 4)
                                : ToPixel(static_cast<float>(sum) * scale);
    }
  }
  Rows SourceRows(std::size_t row) const override { return {row * box_height_, box_height_}; }

 private:
  int SumOf(const std::uint8_t* corner) const {
    int sum = 0;
    for (std::size_t y = 0; y < box_height_; ++y) {
      for (std::size_t x = 0; x < box_width_; ++x) sum += corner[y * from_width_ + x];
    }
    return sum;
  }

  const std::size_t from_width_;
  const std::size_t box_height_;
  const std::size_t box_width_;
};

// A Cell has the source's pixels that make one of the result's, and their shares in it.
struct Cell {
  std::size_t first = 0;
  std::vector<float> weights;
};

std::vector<Cell> CellsOf(std::size_t from, std::size_t to) {
  constexpr double kNothing = 1e-3;
  const double scale = ScaleOf(from, to);
  const auto size = static_cast<double>(from);
  std::vector<Cell> cells(to);
  for (std::size_t i = 0; i < to; ++i) {
    const double low = static_cast<double>(i) * scale;
    const double high = low + scale;
    const double width = std::min(scale, size - low);
    const double last = std::min(std::floor(high), size - 1);
    const double first = std::min(std::ceil(low), last);
    Cell& cell = cells[i];
    cell.first = static_cast<std::size_t>(first);
    if (first - low > kNothing) {
      --cell.first;
      cell.weights.push_back(static_cast<float>((first - low) / width));
    }
    for (double whole = first; whole < last; ++whole) {
      cell.weights.push_back(static_cast<float>(1.0 / width));
    }
    if (high - last > kNothing) {
      const double share = std::min(std::min(high - last, 1.0), width);
      cell.weights.push_back(static_cast<float>(share / width));
    }
  }
  return cells;
}

// Resizes a row horizontally: narrow[i] = the sum of the weighted pixels of cells[i], added up from
// the left.
class RowNarrower {
 public:
  RowNarrower(std::size_t width, std::vector<Cell> cells);

  void Narrow(const std::uint8_t* row, float* narrow) const {
    if (octets_.empty()) {
      NarrowEach(row, narrow);
    } else {
      NarrowWide(row, narrow);
    }
  }
  std::size_t Size() const { return size_; }
  // Returns how many floats Narrow writes.
  std::size_t PaddedSize() const { return std::max(size_, 8 * octets_.size()); }

 private:
  // Which bytes of two loads, one for each half of an octet's cells, become 32 bits each.
  using Choice = std::array<std::uint8_t, 32>;

  // Eight cells, done at once: each four of them lie within 16 bytes of the row, or each two.
  struct Octet {
    std::array<std::size_t, 4> starts = {};
    // bytes[n] and weights[n] are for the n-th pixels of the cells. Cells with fewer pixels than
    // others have weights of 0 at the end. If each two cells have a load, more_bytes[n] is for the
    // second two of each half; otherwise it is empty.
    std::vector<Choice> bytes;
    std::vector<Choice> more_bytes;
    std::vector<std::array<float, 8>> weights;
  };

  bool AddOctets(std::size_t width, std::size_t cells_per_load);
  bool AddOctet(std::size_t first_cell, std::size_t width, std::size_t cells_per_load);
  void NarrowEach(const std::uint8_t* row, float* narrow) const;
  void NarrowWide(const std::uint8_t* row, float* narrow) const;

  const std::size_t size_;
  // One of them is empty: this machine or these sizes need NarrowEach, or not.
  std::vector<Cell> cells_;
  std::vector<Octet> octets_;
};

constexpr std::size_t kLoad = 16;  // bytes

#if defined(__x86_64__)

bool HasWide() { return __builtin_cpu_supports("avx2") != 0; }

[[gnu::target("avx2")]] void RowNarrower::NarrowWide(const std::uint8_t* row, float* narrow) const {
  const auto load = [row](std::size_t start) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + start));
  };
  for (const Octet& octet : octets_) {
    const __m256i pixels = _mm256_set_m128i(load(octet.starts[2]), load(octet.starts[0]));
    const __m256i more = _mm256_set_m128i(load(octet.starts[3]), load(octet.starts[1]));
    __m256 sum = _mm256_setzero_ps();
    for (std::size_t i = 0; i < octet.bytes.size(); ++i) {
      const auto* bytes = reinterpret_cast<const __m256i*>(octet.bytes[i].data());
      __m256i values = _mm256_shuffle_epi8(pixels, _mm256_loadu_si256(bytes));
      if (!octet.more_bytes.empty()) {
        bytes = reinterpret_cast<const __m256i*>(octet.more_bytes[i].data());
        values = _mm256_or_si256(values, _mm256_shuffle_epi8(more, _mm256_loadu_si256(bytes)));
      }
      sum = _mm256_add_ps(
          sum, _mm256_mul_ps(_mm256_cvtepi32_ps(values), _mm256_loadu_ps(octet.weights[i].data())));
    }
    _mm256_storeu_ps(narrow, sum);
    narrow += 8;
  }
}

#else

bool HasWide() { return false; }

void RowNarrower::NarrowWide(const std::uint8_t* row, float* narrow) const {
  NarrowEach(row, narrow);
}

#endif

RowNarrower::RowNarrower(std::size_t width, std::vector<Cell> cells)
    : size_(cells.size()), cells_(std::move(cells)) {
  if (!HasWide() || width < kLoad) return;
  if (AddOctets(width, 4) || AddOctets(width, 2)) cells_ = {};
}

// Returns false if so many cells do not fit into a load.
bool RowNarrower::AddOctets(std::size_t width, std::size_t cells_per_load) {
  octets_.clear();
  for (std::size_t cell = 0; cell < cells_.size(); cell += 8) {
    if (AddOctet(cell, width, cells_per_load)) continue;
    octets_.clear();
    return false;
  }
  return true;
}

bool RowNarrower::AddOctet(std::size_t first_cell, std::size_t width, std::size_t cells_per_load) {
  constexpr std::uint8_t kZero = 0x80;  // stands for no byte
  Choice none;
  none.fill(kZero);
  const std::size_t end = std::min(first_cell + 8, cells_.size());
  std::size_t most_pixels = 0;
  for (std::size_t i = first_cell; i < end; ++i) {
    most_pixels = std::max(most_pixels, cells_[i].weights.size());
  }
  Octet octet;
  octet.bytes.assign(most_pixels, none);
  if (cells_per_load == 2) octet.more_bytes = octet.bytes;
  octet.weights.resize(most_pixels);
  for (std::size_t lane = 0; first_cell + lane < end; ++lane) {
    const Cell& cell = cells_[first_cell + lane];
    const bool is_more = lane % 4 >= cells_per_load;
    std::size_t& start = octet.starts[lane / 4 * 2 + is_more];
    if (lane % cells_per_load == 0) start = std::min(cell.first, width - kLoad);
    for (std::size_t i = 0; i < cell.weights.size(); ++i) {
      const std::size_t byte = cell.first + i - start;
      if (byte >= kLoad) return false;
      auto& bytes = is_more ? octet.more_bytes[i] : octet.bytes[i];
      bytes[4 * lane] = static_cast<std::uint8_t>(byte);
      octet.weights[i][lane] = cell.weights[i];
    }
  }
  octets_.push_back(std::move(octet));
  return true;
}

void RowNarrower::NarrowEach(const std::uint8_t* row, float* narrow) const {
  for (const Cell& cell : cells_) {
    float sum = 0.0F;
    for (std::size_t i = 0; i < cell.weights.size(); ++i) {
      sum += static_cast<float>(row[cell.first + i]) * cell.weights[i];
    }
    *narrow++ = sum;
  }
}

// Areas makes each result the mean of a box whose edges lie anywhere.
class Areas final : public Resize {
 public:
  Areas(PlaneSize from, PlaneSize to)
      : width_(from.width),
        rows_(CellsOf(from.height, to.height)),
        narrower_(from.width, CellsOf(from.width, to.width)),
        narrow_(narrower_.PaddedSize()),
        sums_(narrower_.Size()) {}

  void Row(const std::uint8_t* source, std::size_t row, std::uint8_t* result) override {
    const Cell& cell = rows_[row];
    std::ranges::fill(sums_, 0.0F);
    for (std::size_t i = 0; i < cell.weights.size(); ++i) {
      narrower_.Narrow(source + (cell.first + i) * width_, narrow_.data());
      const float weight = cell.weights[i];
      for (std::size_t x = 0; x < sums_.size(); ++x) sums_[x] += weight * narrow_[x];
    }
    for (std::size_t x = 0; x < sums_.size(); ++x) result[x] = ToPixel(sums_[x]);
  }
  Rows SourceRows(std::size_t row) const override {
    return {rows_[row].first, rows_[row].weights.size()};
  }

 private:
  const std::size_t width_;
  const std::vector<Cell> rows_;
  const RowNarrower narrower_;
  std::vector<float> narrow_;  // one row
  std::vector<float> sums_;
};

// A Pair has two neighbouring pixels of the source, and their shares in units of 1 / 2048.
struct Pair {
  std::size_t first = 0;
  std::size_t second = 0;
  std::array<int, 2> weights = {};
};

constexpr float kUnit = 2048.0F;

enum class Axis { kVertical, kHorizontal };

// `as_area`: the variant that OpenCV uses to enlarge by areas.
std::vector<Pair> PairsOf(std::size_t from, std::size_t to, Axis axis, bool as_area) {
  const double scale = ScaleOf(from, to);
  const double inverse = static_cast<double>(to) / static_cast<double>(from);
  const auto last = static_cast<double>(from) - 1;
  std::vector<Pair> pairs(to);
  for (std::size_t i = 0; i < to; ++i) {
    const auto index = static_cast<double>(i);
    float share = 0.0F;  // of the second
    double first = 0.0;
    if (as_area) {
      first = std::floor(index * scale);
      share = static_cast<float>((index + 1) - (first + 1) * inverse);
      share = share <= 0 ? 0.0F : share - std::floor(share);
    } else {
      share = static_cast<float>((index + 0.5) * scale - 0.5);
      first = std::floor(share);
      share -= static_cast<float>(first);
    }
    // Beyond the border, both pixels are the last one; vertically, each then keeps its share, which
    // rounds otherwise.
    if (axis == Axis::kHorizontal && (first < 0 || first >= last)) share = 0.0F;
    Pair& pair = pairs[i];
    pair.first = static_cast<std::size_t>(std::clamp(first, 0.0, last));
    pair.second = static_cast<std::size_t>(std::clamp(first + 1, 0.0, last));
    pair.weights = {static_cast<int>(std::nearbyint((1.0F - share) * kUnit)),
                    static_cast<int>(std::nearbyint(share * kUnit))};
  }
  return pairs;
}

// Lines makes each result lie between the nearest pixels.
class Lines final : public Resize {
 public:
  Lines(PlaneSize from, PlaneSize to, bool as_area)
      : width_(from.width),
        rows_(PairsOf(from.height, to.height, Axis::kVertical, as_area)),
        columns_(PairsOf(from.width, to.width, Axis::kHorizontal, as_area)) {}

  void Row(const std::uint8_t* source, std::size_t row, std::uint8_t* result) override {
    const Pair& pair = rows_[row];
    const std::uint8_t* above = source + pair.first * width_;
    const std::uint8_t* below = source + pair.second * width_;
    for (const Pair& column : columns_) {
      const int top = ((pair.weights[0] * (Between(above, column) >> 4)) >> 16);
      const int bottom = ((pair.weights[1] * (Between(below, column) >> 4)) >> 16);
      *result++ = static_cast<std::uint8_t>((top + bottom + 2) >> 2);
    }
  }
  Rows SourceRows(std::size_t row) const override {
    return {rows_[row].first, rows_[row].second - rows_[row].first + 1};
  }

 private:
  static int Between(const std::uint8_t* row, const Pair& column) {
    return row[column.first] * column.weights[0] + row[column.second] * column.weights[1];
  }

  const std::size_t width_;
  const std::vector<Pair> rows_;
  const std::vector<Pair> columns_;
};

// True if OpenCV takes the scale for a whole number.
bool IsWhole(double scale) {
  return std::abs(scale - std::nearbyint(scale)) < std::numeric_limits<double>::epsilon();
}

}  // namespace

std::unique_ptr<Resize> MakeResize(PlaneSize from, PlaneSize to, Interpolation how) {
  if (from.height == to.height && from.width == to.width) return std::make_unique<Copy>(to.width);
  const double scale_y = ScaleOf(from.height, to.height);
  const double scale_x = ScaleOf(from.width, to.width);
  const bool is_whole = IsWhole(scale_y) && IsWhole(scale_x);
  const auto box_height = static_cast<std::size_t>(std::nearbyint(scale_y));
  const auto box_width = static_cast<std::size_t>(std::nearbyint(scale_x));
  if (is_whole && box_height == 2 && box_width == 2) how = Interpolation::kArea;
  if (how == Interpolation::kArea && scale_y >= 1 && scale_x >= 1) {
    if (is_whole) return std::make_unique<Boxes>(from.width, box_height, box_width);
    return std::make_unique<Areas>(from, to);
  }
  return std::make_unique<Lines>(from, to, how == Interpolation::kArea);
}

}  // namespace envpool
