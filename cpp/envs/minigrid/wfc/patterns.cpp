#include "minigrid/wfc/patterns.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace envpool::minigrid::wfc {
namespace {

using Cells = std::vector<std::uint8_t>;

std::size_t IndexOf(int x, int y, int side) { return static_cast<std::size_t>(y * side + x); }

// Returns the cells of a square, each from where `source` says.
template <class Source>
Cells Moved(const Cells& cells, int side, Source source) {
  Cells moved;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const Point from = source(x, y);
      moved.push_back(cells[IndexOf(from.x, from.y, side)]);
    }
  }
  return moved;
}

// Upstream sorts patterns by a hash: the sum of what their cells without a wall have here. It is
// numpy.random.RandomState(0).randint(1 - 2**63, 2**63, 9), times what is made so of a white pixel,
// which is 255 times the first three.
constexpr std::array<std::uint64_t, 9> kHashes = {
    0xe17635fbcd0d3190, 0x66654f4fa3819553, 0xe6713e799c609cb4,
    0xe2bbee5f189586b8, 0x403bbf60124e85bc, 0xc2eca8bdd7b82d09,
    0x48b9bab458875c88, 0xbe0e0a3d22e7c21b, 0x44e87833f81a8877};

std::int64_t HashOf(const Cells& pattern) {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) hash += pattern[i] != 0 ? 0 : kHashes[i];
  return static_cast<std::int64_t>(hash);
}

// Returns the square of this width at a place; the picture goes on at its opposite border.
Cells PatternAt(const Cells& picture, int side, Point at, int width) {
  Cells pattern;
  for (int y = at.y; y < at.y + width; ++y) {
    for (int x = at.x; x < at.x + width; ++x) {
      pattern.push_back(picture[IndexOf(x % side, y % side, side)]);
    }
  }
  return pattern;
}

struct Counted {
  Cells cells;
  double pictures = 0;  // that have it, however often
};

using Catalogue = std::map<std::int64_t, Counted>;  // by hash

void AddPatterns(const Cells& picture, int side, int width, Catalogue& catalogue) {
  std::set<std::int64_t> here;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      Cells pattern = PatternAt(picture, side, {x, y}, width);
      const std::int64_t hash = HashOf(pattern);
      if (!here.insert(hash).second) continue;
      Counted& counted = catalogue[hash];
      counted.cells = std::move(pattern);
      ++counted.pictures;
    }
  }
}

// Returns the patterns of the sample, and of what it becomes when it is mirrored and turned by
// turns. Upstream goes on to eight pictures, but the other four are the same again.
Catalogue CatalogueOf(const Sample& sample) {
  const int side = sample.side;
  Cells picture;
  for (const char cell : sample.cells) picture.push_back(cell == '#' ? 1 : 0);
  Catalogue catalogue;
  for (int pictures = 0; pictures < 4; ++pictures) {
    AddPatterns(picture, side, sample.pattern_width, catalogue);
    picture = Moved(picture, side, [=](int x, int y) {
      return pictures % 2 == 0 ? Point{side - 1 - x, y} : Point{y, side - 1 - x};
    });
  }
  return catalogue;
}

// True if the patterns are the same where they overlap, when `other` is moved by `way` from `one`.
bool MayStandBeside(const Cells& one, const Cells& other, int width, Point way) {
  for (int y = std::max(0, way.y); y < width + std::min(0, way.y); ++y) {
    for (int x = std::max(0, way.x); x < width + std::min(0, way.x); ++x) {
      if (one[IndexOf(x, y, width)] != other[IndexOf(x - way.x, y - way.y, width)]) return false;
    }
  }
  return true;
}

}  // namespace

Patterns::Patterns(const Sample& sample) {
  std::vector<Cells> patterns;
  for (auto& [hash, counted] : CatalogueOf(sample)) {
    weights_.push_back(counted.pictures);
    is_wall_.push_back(counted.cells.front() != 0);
    patterns.push_back(counted.cells);
  }
  for (std::size_t direction = 0; direction < kDirections.size(); ++direction) {
    for (const Cells& one : patterns) {
      Mask beside = 0;
      for (std::size_t i = 0; i < patterns.size(); ++i) {
        const Point way = kDirections[direction];
        if (MayStandBeside(one, patterns[i], sample.pattern_width, way)) beside |= Mask{1} << i;
      }
      beside_[direction].push_back(beside);
    }
  }
}

}  // namespace envpool::minigrid::wfc
