// RandomState: numpy.random.RandomState, bit for bit, as far as dm_control draws from it.
//
// Its generator is a MersenneTwister. Normal numbers are drawn by the polar method (G. Marsaglia,
// T. A. Bray, "A Convenient Method for Generating Normal Variables", 1964), in pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "envpool/archive.h"
#include "numerics/mersenne_twister.h"

namespace envpool::dm_control {

class RandomState {
 public:
  // RandomState(seed). Throws std::out_of_range if the seed has more than 32 bits, as NumPy does.
  explicit RandomState(std::uint64_t seed);

  // random_sample() and rand(): uniform in [0, 1).
  double Unit();

  double Uniform(double low, double high) { return low + (high - low) * Unit(); }

  // randn(): normal with mean 0 and deviation 1.
  double Normal();

  // randint(count): 0 <= result < count.
  std::uint32_t Integer(std::uint32_t count);

  // The index that choice(..., p=probabilities) takes.
  std::size_t Choice(std::span<const double> probabilities);

  void Serialize(Archive& archive);

 private:
  numerics::MersenneTwister bits_;
  bool has_normal_ = false;
  double normal_ = 0.0;  // the second one of a pair
};

}  // namespace envpool::dm_control
