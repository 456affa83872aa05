// Field: one named array of an environment's observation, info or action, described as data.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "envpool/dtype.h"

namespace envpool {

// A Space is what the numbers of a field mean; the names are Gymnasium's.
enum class Space { kBox, kDiscrete, kMultiDiscrete, kMultiBinary };

using Bounds = std::vector<double>;  // one number for all elements, or one per element

inline constexpr std::size_t kMostDimensions = 7;  // of a field

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Field {
  std::string name;  // dots nest: "players.id" is "id" in "players"
  DType dtype = DType::kFloat32;
  std::vector<int> shape;     // of one environment (or one player), without the batch axis
  Bounds low = {-kInfinity};  // an infinite bound of an integer field is its type's own limit
  Bounds high = {kInfinity};
  Space space = Space::kBox;
  bool per_player = false;  // one row per player instead of one per environment
  // The pool records the type of the array that the caller gave, for Action::CameAs; only of an
  // action.
  bool records_type = false;

  bool operator==(const Field&) const = default;

  std::size_t Elements() const {
    return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  }
  std::size_t Bytes() const { return Elements() * SizeOf(dtype); }

  Field PerPlayer() const {
    Field copy = *this;
    copy.per_player = true;
    return copy;
  }
  Field RecordType() const {
    Field copy = *this;
    copy.records_type = true;
    return copy;
  }
};

inline Field Box(std::string name, DType dtype, std::vector<int> shape, Bounds low = {-kInfinity},
                 Bounds high = {kInfinity}) {
  return {std::move(name), dtype, std::move(shape), std::move(low), std::move(high)};
}

// Makes a field of a number out of start, start + 1, ..., start + n - 1.
inline Field Discrete(std::string name, int n, int start = 0, DType dtype = DType::kInt32) {
  return {std::move(name), dtype, {}, {double(start)}, {double(start) + n - 1}, Space::kDiscrete};
}

// Makes a field of a vector whose element i is a number out of 0, ..., sizes[i] - 1.
inline Field MultiDiscrete(std::string name, const std::vector<int>& sizes,
                           DType dtype = DType::kInt32) {
  Bounds high;
  for (int size : sizes) high.push_back(size - 1);
  return {std::move(name),      dtype, {static_cast<int>(sizes.size())}, {0}, std::move(high),
          Space::kMultiDiscrete};
}

inline Field MultiBinary(std::string name, std::vector<int> shape, DType dtype = DType::kBool) {
  return {std::move(name), dtype, std::move(shape), {0}, {1}, Space::kMultiBinary};
}

}  // namespace envpool
