// TupleSet: the order in which CPython iterates over a set of tuples of two integers, of which none
// was ever removed. It follows from their hashes, which are the same in every process, and from the
// order in which they were added (Objects/setobject.c and tupleobject.c of CPython 3.8 and later).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "minigrid/object.h"

namespace envpool::minigrid::wfc {

class TupleSet {
 public:
  // Adds a cell, which must not be in the set yet.
  void Add(Point cell) {
    Put(cell);
    ++used_;
    if (used_ * 5 < Mask() * 3) return;
    const std::vector<Point> old =
        std::exchange(table_, std::vector<Point>(SizeFor(used_), kNowhere));
    for (const Point item : old) {
      if (item != kNowhere) Put(item);
    }
  }

  std::vector<Point> Items() const {
    std::vector<Point> items = table_;
    std::erase(items, kNowhere);
    return items;
  }

 private:
  static constexpr std::size_t kLeastSize = 8;
  static constexpr std::size_t kNeighbors = 9;  // tried before another place is

  // Returns the size of a table for so many items, up to 50,000; larger sets grow more slowly.
  static std::size_t SizeFor(std::size_t used) {
    std::size_t size = kLeastSize;
    while (size <= 4 * used) size *= 2;
    return size;
  }

  // Returns xxHash's number, without what mixes the bits at its end.
  static std::uint64_t HashOf(Point cell) {
    constexpr std::uint64_t kPrime1 = 11400714785074694791U;
    constexpr std::uint64_t kPrime2 = 14029467366897019727U;
    constexpr std::uint64_t kPrime5 = 2870177450012600261U;
    std::uint64_t hash = kPrime5;
    for (const int item : {cell.x, cell.y}) {
      hash += static_cast<std::uint64_t>(item) * kPrime2;
      hash = std::rotl(hash, 31) * kPrime1;
    }
    return hash + (2 ^ kPrime5 ^ 3527539);
  }

  // Puts a cell into the first place that is free.
  void Put(Point cell) {
    std::uint64_t perturb = HashOf(cell);
    std::size_t place = perturb & Mask();
    while (!PutNear(place, cell)) {
      perturb >>= 5;
      place = (place * 5 + 1 + perturb) & Mask();
    }
  }

  bool PutNear(std::size_t place, Point cell) {
    const std::size_t last = place + kNeighbors <= Mask() ? place + kNeighbors : place;
    for (std::size_t i = place; i <= last; ++i) {
      if (table_[i] != kNowhere) continue;
      table_[i] = cell;
      return true;
    }
    return false;
  }

  std::size_t Mask() const { return table_.size() - 1; }

  std::vector<Point> table_ = std::vector<Point>(kLeastSize, kNowhere);
  std::size_t used_ = 0;
};

}  // namespace envpool::minigrid::wfc
