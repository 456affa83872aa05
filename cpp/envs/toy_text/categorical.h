// Categorical: draws an index with given probabilities, from the same number and to the same bit as
// gymnasium.envs.toy_text.utils.categorical_sample.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace envpool {

template <class Container>  // of doubles
class Categorical {
 public:
  explicit Categorical(Container probabilities)
      : probabilities_(std::move(probabilities)), cumulated_(probabilities_) {
    std::partial_sum(cumulated_.begin(), cumulated_.end(), cumulated_.begin());
  }

  // The first index whose cumulated probability is above `drawn`, a number of [0, 1). Rounding may
  // leave none above it: then it is 0, as NumPy's argmax gives it.
  std::size_t Sample(double drawn) const {
    const auto above = std::upper_bound(cumulated_.begin(), cumulated_.end(), drawn);
    return above == cumulated_.end() ? 0 : static_cast<std::size_t>(above - cumulated_.begin());
  }

  double Probability(std::size_t index) const { return probabilities_[index]; }

 private:
  Container probabilities_;
  Container cumulated_;
};

}  // namespace envpool
