// RandomVectors: the numbers that an episode begins with: drawn, or one of a list of vectors, which
// upstream calls tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "envpool/archive.h"
#include "envpool/options.h"
#include "envpool/random.h"
#include "metaworld/sawyer_task.h"
#include "metaworld/vectors.h"

namespace envpool::metaworld {

// One place or two, mostly of an object and of a goal, m.
struct Drawn {
  Vector first = {};
  Vector last = {};
};

class RandomVectors {
 public:
  // Throws std::invalid_argument if options do not go together.
  RandomVectors(const Options& options, const SawyerTask& task);

  // An episode begins: takes the vector of the list that `reset`, the options of its reset, choose,
  // or another one if they ask for it or each reset does. Throws std::invalid_argument if there is
  // no such vector.
  void Select(Random& random, const Options& reset);

  Drawn Draw(Random& random) const;
  // The same, with places that are far enough apart, or the first one from `other`.
  Drawn DrawApart(Random& random, const Vector* other = nullptr) const;

  void Serialize(Archive& archive);

 private:
  void SelectNext(Random& random);
  Drawn At(const double* numbers) const;

  const std::string& task_;
  const std::size_t size_;  // of a vector
  const std::vector<double> low_;
  const std::vector<double> high_;
  const double distance_;
  const std::vector<double> list_;  // one vector behind the other
  const bool shuffles_;             // else each choice is made anew
  const bool selects_always_;
  std::vector<std::uint32_t> order_;  // of the list
  std::int64_t place_ = -1;           // in the order; -1: nothing was taken from it yet
  std::int64_t selected_ = -1;        // in the list; -1: nothing yet
};

// The options of RandomVectors, and those of Select.
std::vector<OptionSpec> VectorOptions();
std::vector<OptionSpec> SelectOptions();

}  // namespace envpool::metaworld
