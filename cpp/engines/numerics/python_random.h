// PythonRandom: the generator of Python's module `random`, as random.Random(seed).
#pragma once

#include <cstdint>

#include "envpool/archive.h"
#include "numerics/mersenne_twister.h"

namespace envpool::numerics {

class PythonRandom {
 public:
  explicit PythonRandom(std::uint64_t seed);

  // Returns randint(0, most), of 31 bits at most.
  std::uint32_t Integer(std::uint32_t most);

  void Serialize(Archive& archive) { twister_.Serialize(archive); }

 private:
  MersenneTwister twister_;
};

}  // namespace envpool::numerics
