// Random: an environment's random generator; bit for bit numpy.random.default_rng(seed).
//
// The distributions are NumPy's own C functions, linked from the static library that its wheel
// ships for this purpose (numpy/random/lib). They are declared here by hand because NumPy's header
// for them includes Python.h, which nothing below cpp/bindings may need.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include "envpool/pcg64.h"

extern "C" {
// These declarations must match numpy/random/bitgen.h and numpy/random/distributions.h.
struct bitgen {
  void* state;
  std::uint64_t (*next_uint64)(void* state);
  std::uint32_t (*next_uint32)(void* state);
  double (*next_double)(void* state);
  std::uint64_t (*next_raw)(void* state);
};
double random_standard_normal(bitgen*);
double random_standard_exponential(bitgen*);
std::uint64_t random_interval(bitgen*, std::uint64_t max);
std::uint64_t random_bounded_uint64(bitgen*, std::uint64_t offset, std::uint64_t range,
                                    std::uint64_t mask, bool use_masked);
}

namespace envpool {

class Random {
 public:
  explicit Random(std::uint64_t seed = 0) : bits_(seed) {}

  double Uniform(double low = 0.0, double high = 1.0) {
    return low + (high - low) * bits_.NextDouble();
  }

  // Generator.random(): uniform in [0, 1).
  double Unit() { return bits_.NextDouble(); }

  double Normal(double mean = 0.0, double deviation = 1.0) {
    bitgen generator = Generator();
    return mean + deviation * random_standard_normal(&generator);
  }

  double Exponential(double scale = 1.0) {
    bitgen generator = Generator();
    return scale * random_standard_exponential(&generator);
  }

  // Generator.integers(low, high): low <= result < high.
  std::int64_t Integers(std::int64_t low, std::int64_t high) {
    if (low >= high) throw std::invalid_argument("Random::Integers needs low < high");
    const auto range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) - 1;
    return static_cast<std::int64_t>(Bounded(static_cast<std::uint64_t>(low), range));
  }
  std::int64_t Integers(std::int64_t high) { return Integers(0, high); }

  // Generator.choice(n).
  std::int64_t Choice(std::int64_t n) { return Integers(0, n); }

  // Generator.choice(len(probabilities), p=probabilities).
  std::int64_t Choice(std::span<const double> probabilities) {
    if (probabilities.empty()) throw std::invalid_argument("Random::Choice needs probabilities");
    std::vector<double> cumulated(probabilities.size());
    std::partial_sum(probabilities.begin(), probabilities.end(), cumulated.begin());
    const double total = cumulated.back();
    for (double& sum : cumulated) sum /= total;
    return std::upper_bound(cumulated.begin(), cumulated.end(), Unit()) - cumulated.begin();
  }

  // Generator.choice(n, size, replace=False).
  std::vector<std::int64_t> ChoiceWithoutReplacement(std::int64_t n, std::int64_t size) {
    if (size < 0 || size > n) {
      throw std::invalid_argument("Random::ChoiceWithoutReplacement cannot take " +
                                  std::to_string(size) + " of " + std::to_string(n));
    }
    // NumPy shuffles the end of a full list for large samples, and uses Floyd's algorithm else.
    if (n > 10000 && size > n / 50) {
      std::vector<std::int64_t> items = Range(n);
      ShuffleFrom(std::max<std::int64_t>(n - size, 1), items);
      return {items.end() - size, items.end()};
    }
    std::vector<std::int64_t> chosen;
    std::unordered_set<std::int64_t> taken;
    for (std::int64_t last = n - size; last < n; ++last) {
      const auto drawn = static_cast<std::int64_t>(Bounded(0, static_cast<std::uint64_t>(last)));
      const std::int64_t item = taken.contains(drawn) ? last : drawn;
      taken.insert(item);
      chosen.push_back(item);
    }
    ShuffleFrom(1, chosen);
    return chosen;
  }

  // Generator.permutation(n).
  std::vector<std::int64_t> Permutation(std::int64_t n) {
    std::vector<std::int64_t> items = Range(n);
    Shuffle(items);
    return items;
  }

  // Generator.shuffle(items).
  template <class T>
  void Shuffle(std::vector<T>& items) {
    bitgen generator = Generator();
    for (std::size_t i = items.size(); i-- > 1;) {
      std::swap(items[i], items[random_interval(&generator, i)]);
    }
  }

  void Serialize(Archive& archive) { bits_.Serialize(archive); }

  // Returns NumPy's view of this generator. Made anew for each draw, so that a Random can be copied
  // and moved freely.
  bitgen Generator() {
    return {&bits_, [](void* bits) { return static_cast<Pcg64*>(bits)->Next64(); },
            [](void* bits) { return static_cast<Pcg64*>(bits)->Next32(); },
            [](void* bits) { return static_cast<Pcg64*>(bits)->NextDouble(); },
            [](void* bits) { return static_cast<Pcg64*>(bits)->Next64(); }};
  }

 private:
  static std::vector<std::int64_t> Range(std::int64_t n) {
    std::vector<std::int64_t> items(static_cast<std::size_t>(n));
    std::iota(items.begin(), items.end(), 0);
    return items;
  }

  // Shuffles as Generator.choice does, down to index `first`: with other draws than Shuffle.
  void ShuffleFrom(std::int64_t first, std::vector<std::int64_t>& items) {
    for (auto i = static_cast<std::int64_t>(items.size()) - 1; i >= first; --i) {
      const std::uint64_t j = Bounded(0, static_cast<std::uint64_t>(i));
      std::swap(items[static_cast<std::size_t>(i)], items[j]);
    }
  }

  // Draws a number: offset <= result <= offset + range.
  std::uint64_t Bounded(std::uint64_t offset, std::uint64_t range) {
    if (range > 0 && range < std::numeric_limits<std::uint32_t>::max()) {
      return offset + BelowInclusive(static_cast<std::uint32_t>(range));
    }
    bitgen generator = Generator();
    return random_bounded_uint64(&generator, offset, range, 0, false);
  }

  // Draws 0 <= result <= most as random_bounded_uint64 does for few numbers (D. Lemire, "Fast
  // random integer generation in an interval", 2019), without its four calls through pointers.
  std::uint64_t BelowInclusive(std::uint32_t most) {
    const std::uint64_t count = std::uint64_t{most} + 1;
    std::uint64_t scaled = bits_.Next32() * count;
    if (static_cast<std::uint32_t>(scaled) < count) {
      const std::uint64_t rejected = (std::uint64_t{1} << 32) % count;
      while (static_cast<std::uint32_t>(scaled) < rejected) scaled = bits_.Next32() * count;
    }
    return scaled >> 32;
  }

  Pcg64 bits_;
};

}  // namespace envpool
